"""docs/compatibility.md says what the field tables say, and the field tables say what happens."""

import json
import os
from pathlib import Path

import pytest
import requests

from support.compatibility import HONOURED, REFUSED, WITHOUT_EFFECT, Document, Table, page
from support.published import packaged

PAGE = Path(__file__).resolve().parents[2] / "docs/compatibility.md"
HELLO = [{"role": "user", "content": "hi"}]
BODIES = {
    "/v1/chat/completions": {"model": "chat", "messages": HELLO},
    "/v1/completions": {"model": "chat", "prompt": "hi"},
    "/v1/responses": {"model": "chat", "input": "hi"},
    "/v1/messages": {"model": "chat", "messages": HELLO, "max_tokens": 8},
    "/v1/embeddings": {"model": "chat", "input": "hi"},
    "/v1/images/generations": {"model": "pictures", "prompt": "hi", "size": "64x64"},
}


def test_the_page_is_what_the_field_tables_say(scripted):
    ours = requests.get(f"{scripted().url}/openapi.json", timeout=60).json()
    made = page(ours, packaged("openai"), packaged("anthropic"))
    if os.environ.get("UPDATE_DOCS"):
        PAGE.write_text(made)
    assert made == PAGE.read_text(), "docs/compatibility.md is another one; UPDATE_DOCS=1 rewrites it"


def sample(document: Document, schema: dict):
    """Some value that fits the schema of a field of ours."""
    schema = document.followed(schema)
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        return schema["enum"][0]
    for word in ("anyOf", "oneOf", "allOf"):
        if word in schema:
            return sample(document, next(part for part in schema[word] if part.get("type") != "null"))
    kind = schema.get("type", "string")
    kind = next(one for one in kind if one != "null") if isinstance(kind, list) else kind
    if kind == "object":
        return {name: sample(document, schema["properties"][name]) for name in schema.get("required", ())}
    if kind == "string":
        return "x" * max(1, schema.get("minLength", 1))
    return {"boolean": True, "integer": schema.get("minimum", 1), "number": schema.get("minimum", 1), "array": []}[kind]


def test_fields_are_honoured_ignored_and_refused_as_the_page_says(scripted):
    gateway = scripted(images=["pictures"])
    ours = requests.get(f"{gateway.url}/openapi.json", timeout=60).json()
    tried = {REFUSED: 0, WITHOUT_EFFECT: 0}
    for vendor, prefix in (("openai", "/v1"), ("anthropic", "")):
        for method, path, rows, more in Table(packaged(vendor), ours, prefix).sections():
            if method != "POST" or path not in BODIES or (vendor == "anthropic") != (path == "/v1/messages"):
                continue
            document = Document(ours)
            (request,) = document.kinds(document.request(ours["paths"][path]["post"]))
            for row in [*rows, *more]:
                if row.effect == HONOURED or not row.path.isidentifier():
                    continue
                described = request.properties.get(row.path, {})
                value = "x" if row.effect == REFUSED or not described else sample(document, described)
                answer = requests.post(gateway.url + path, json=BODIES[path] | {row.path: value}, timeout=60)
                if row.effect == REFUSED:
                    assert answer.status_code == 400, (path, row, answer.text)
                    assert answer.json()["error"]["param"] == row.path, (path, row, answer.text)
                elif row.remark.startswith("Kept"):
                    assert answer.json()[row.path] == value, (path, row, answer.text)
                elif path != "/v1/embeddings":  # the scripted model has none, but its field tables are read all the same
                    assert answer.status_code == 200, (path, row, answer.text)
                    assert row.path in answer.headers["x-ignored-fields"].split(", "), (path, row, answer.text)
                tried[row.effect] += 1
    assert min(tried.values()) > 15, tried


def test_a_table_of_a_small_description():
    """The comparison itself: parts of unions by their tags, lists, what is not taken, what is not known."""
    published = {"paths": {"/things": {"post": {"requestBody": {"content": {"application/json": {"schema": {"allOf": [
        {"$ref": "#/components/schemas/Base"},
        {"properties": {"parts": {"type": "array", "items": {"oneOf": [
            {"type": "object", "properties": {"type": {"enum": ["text"]}, "text": {"type": "string"}}},
            {"type": "object", "properties": {"type": {"enum": ["video"]}, "url": {"type": "string"}}}]}}}},
    ]}}}}}}}, "components": {"schemas": {"Base": {"properties": {
        "mode": {"enum": ["fast", "slow"]}, "old": {"type": "string"}, "sound": {"type": "string"}, "new": {"type": "string"}}}}}}
    ours = {"paths": {"/v1/things": {"post": {"requestBody": {"content": {"application/json": {"schema": {"properties": {
        "mode": {"enum": ["fast"], "description": "How."}, "old": {"type": "string", "description": "Accepted without effect."},
        "sound": {"type": ["null"], "description": "Refused: silence."}, "extra": {"type": "string", "description": "More."},
        "parts": {"type": "array", "items": {"oneOf": [
            {"properties": {"type": {"const": "text"}, "text": {"type": "string", "description": "The text."}}}]}},
    }}}}}}}}}
    ((method, path, rows, more),) = Table(published, ours, "/v1").sections()
    assert (method, path) == ("POST", "/v1/things")
    assert {row.path: row.effect for row in rows} == {
        "mode": HONOURED, "old": WITHOUT_EFFECT, "sound": REFUSED, "new": WITHOUT_EFFECT, "parts": HONOURED,
        "parts[](text).text": HONOURED, "parts[](video)": REFUSED}
    assert next(row for row in rows if row.path == "mode").remark == "How. Not taken: `slow`."
    assert [row.path for row in more] == ["extra"]
    assert json.dumps(published) and not Table(published, ours, "/v1").missing
