"""docs/compatibility.md says what the field tables say, and the field tables say what happens."""

import json
import os
import re
from pathlib import Path

import pytest
import requests

from support.compatibility import HONOURED, REFUSED, TAGS, WITHOUT_EFFECT, Document, Table, page, values_of
from support.pictures import data_url, png
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
    "/v1/images/edits": {"model": "pictures", "prompt": "hi", "images": [{"image_url": data_url(png())}]},
}


def test_the_page_is_what_the_field_tables_say(scripted):
    ours = requests.get(f"{scripted().url}/openapi.json", timeout=60).json()
    made = page(ours, packaged("openai"), packaged("anthropic"))
    if os.environ.get("UPDATE_DOCS"):
        PAGE.write_text(made)
    assert made == PAGE.read_text(), "docs/compatibility.md is another one; UPDATE_DOCS=1 rewrites it"


# What is checked beyond its schema, by the name of the field.
GOOD = {"url": data_url(png()), "image_url": data_url(png()), "data": "aGk=", "media_type": "image/png", "arguments": "{}",
        "call_id": "call_1", "tool_use_id": "toolu_1", "tool_call_id": "call_1", "name": "f"}


def sample(document: Document, schema: dict, name: str = ""):
    """Some value that fits the schema of a field of ours."""
    schema = document.followed(schema)
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        return schema["enum"][0]
    if name in GOOD and "string" in str(schema):
        return GOOD[name]
    for word in ("anyOf", "oneOf", "allOf"):
        if word in schema:
            return sample(document, next(part for part in schema[word] if part.get("type") != "null"), name)
    kind = schema.get("type", "string")
    if kind == ["null"]:
        return "x"  # a field that is refused
    kind = next(one for one in kind if one != "null") if isinstance(kind, list) else kind
    if kind == "object":
        return {name: sample(document, schema["properties"][name], name) for name in schema.get("required", ())}
    if kind == "array":
        return [sample(document, schema["items"], name)] * schema.get("minItems", 0)
    if kind == "string":
        return "x" * max(1, schema.get("minLength", 1))
    return {"boolean": True, "integer": schema.get("minimum", 1), "number": schema.get("minimum", 1)}[kind]


def steps_of(path: str) -> list[str | set[str]]:
    """`messages[](user).name` -> messages, [], {user}, name."""
    return [set(step[1:-1].split("/")) if step.startswith("(") else step
            for step in re.findall(r"\[\]|\([^)]*\)|[^.\[\]()]+", path)]


def holding(document: Document, schema: dict, steps: list, name: str = ""):
    """A value of our schema that goes as far as the path does, and a value at its end. LookupError: there is none."""
    if not steps:
        return sample(document, schema, name)
    kinds = document.kinds(schema)
    step, *rest = steps
    if step == "[]":
        return [holding(document, {"anyOf": [kind.items for kind in kinds if kind.items is not None]}, rest, name)]
    kinds = [kind for kind in kinds if kind.properties]
    tags = set()
    if isinstance(step, set):
        tags = step
        kinds = [kind for kind in kinds if kind.tags() & tags]
        if not rest:
            return object_of(document, kinds[0], tags) if kinds else {"type": min(tags)}
        step, *rest = rest
    for kind in sorted(kinds, key=lambda kind: step not in kind.properties):
        try:
            return object_of(document, kind, tags) | {step: holding(document, kind.properties.get(step, {}), rest, step)}
        except LookupError:
            continue
    raise LookupError(steps)


def object_of(document: Document, kind, tags: set) -> dict:
    made = {one: sample(document, kind.properties[one], one) for one in kind.required}
    for one in TAGS:
        if found := tags & values_of(kind.properties.get(one, {})):
            made[one] = min(found)
    if made.get("role") == "assistant":
        made["content"] = "hi"  # required where there are no calls
    return made


def fields_to_try(scripted_url: str):
    """Path of the endpoint, our document, our schema of the request, and the row, of all that is not honoured."""
    ours = requests.get(f"{scripted_url}/openapi.json", timeout=60).json()
    document = Document(ours)
    for vendor, prefix in (("openai", "/v1"), ("anthropic", "")):
        for method, path, rows, more in Table(packaged(vendor), ours, prefix).sections():
            if method != "POST" or path not in BODIES or (vendor == "anthropic") != (path == "/v1/messages"):
                continue
            request = document.request(ours["paths"][path]["post"])
            for row in [*rows, *more]:
                if row.effect != HONOURED:
                    yield path, document, request, row


def test_fields_are_honoured_ignored_and_refused_as_the_page_says(scripted):
    gateway = scripted(images=["pictures"])
    tried = {REFUSED: 0, WITHOUT_EFFECT: 0}
    for path, document, request, row in fields_to_try(gateway.url):
        if not row.path.isidentifier():
            continue
        (kind,) = document.kinds(request)
        described = kind.properties.get(row.path, {})
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


def test_so_are_fields_inside_of_fields(scripted):
    """A model may say no to the rest of such a request (pictures, tools); what was ignored is told all the same."""
    gateway = scripted()
    tried = {REFUSED: 0, WITHOUT_EFFECT: 0}
    wrong = []
    for path, document, request, row in fields_to_try(gateway.url):
        if row.path.isidentifier() or row.remark.startswith("Kept"):
            continue
        steps = steps_of(row.path)
        (kind,) = document.kinds(request)
        value = holding(document, kind.properties[steps[0]], steps[1:], steps[0])
        # Tools of other kinds are taken beside a function.
        beside = [{"type": "function", "name": "beside"}] if path == "/v1/responses" and steps[0] == "tools" else []
        body = BODIES[path] | {steps[0]: value + beside if beside else value, "stream": steps[0] == "stream_options"}
        answer = requests.post(gateway.url + path, json=body, timeout=60)
        place = re.sub(r"\([^)]*\)", "", row.path).replace("[]", "[0]")
        if row.effect == REFUSED:
            param = answer.json()["error"]["param"] if answer.status_code == 400 else None
            fine = param is not None and param.startswith(place)
        else:
            ignored = answer.headers.get("x-ignored-fields", "").split(", ")
            fine = any(place == one or place.startswith(one + ".") for one in ignored)  # or all that is around it
        if not fine:
            wrong.append((path, row.path, body, answer.status_code, answer.text[:300], answer.headers.get("x-ignored-fields")))
        tried[row.effect] += 1
    assert not wrong, "\n".join(map(str, wrong))
    assert tried[REFUSED] > 60 and tried[WITHOUT_EFFECT] > 30, tried


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
