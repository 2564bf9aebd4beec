"""The OpenAPI document is valid, complete, and true: requests made from it by a fuzzer get the answers it announces."""

import json
import os
import subprocess
import sys
from pathlib import Path

import openapi_spec_validator
import pytest
import requests

from support.closed import Closed
from support.judge import of_parsed_data


@pytest.fixture(scope="module")
def document(gateway) -> dict:
    answer = requests.get(f"{gateway.url}/openapi.json", timeout=30)
    assert answer.headers["Content-Type"].startswith("application/json")
    return answer.json()


def test_a_validator_of_another_author_accepts_it(document):
    assert document["openapi"].startswith("3.2")
    openapi_spec_validator.validate(document)


def test_every_endpoint_is_there(document):
    assert {
        "/v1/chat/completions", "/v1/chat/completions/{completion_id}", "/v1/responses", "/v1/responses/{response_id}",
        "/v1/messages", "/v1/images/generations", "/v1/models", "/v1/models/{id}", "/health/live",
        "/health/ready", "/metrics", "/version",
    } <= {path.replace("{model}", "{id}") for path in document["paths"]}


def test_every_field_of_a_request_is_explained(document):
    """A reader of /docs should not have to guess; a field without a description is a hole in the declaration."""
    def resolved(schema: dict) -> dict:
        if "$ref" not in schema:
            return schema
        place = document
        for key in schema["$ref"].removeprefix("#/").split("/"):
            place = place[key]
        return place

    for path in ("/v1/chat/completions", "/v1/responses", "/v1/messages", "/v1/images/generations"):
        body = document["paths"][path]["post"]["requestBody"]["content"]["application/json"]
        schema = resolved(body["schema"])
        missing = [name for name, field in schema["properties"].items()
                   if not field.get("description") and not resolved(field).get("description")]
        assert not missing, path
        assert body.get("example") or body.get("examples") or schema.get("examples"), path


def every_schema(value, path: str = "#"):
    """Each schema of a document that has examples or a default, with its place."""
    if isinstance(value, dict):
        if ("examples" in value and isinstance(value["examples"], list)) or "default" in value:
            yield path, value
        for key, item in value.items():
            if key not in ("examples", "default", "const", "enum"):
                yield from every_schema(item, f"{path}/{key}")
    elif isinstance(value, list):
        for number, item in enumerate(value):
            yield from every_schema(item, f"{path}/{number}")


def test_examples_and_defaults_are_what_their_schemas_say(document):
    judge = Closed(document)
    fields = list(every_schema(document["components"]["schemas"]))
    assert len(fields) > 20
    for path, schema in fields:
        for example in [*schema.get("examples", []), *([schema["default"]] if "default" in schema else [])]:
            judge.check(schema, example, path)
    bodies = 0
    for path, operations in document["paths"].items():
        for method, described in operations.items():
            contents = [("request", described.get("requestBody", {}))]
            for status, response in described["responses"].items():
                if "$ref" in response:
                    response = document["components"]["responses"][response["$ref"].rsplit("/", 1)[-1]]
                contents.append((status, response))
            for place, owner in contents:
                for media_type, content in owner.get("content", {}).items():
                    what = f"{method} {path} {place} {media_type}"
                    if media_type == "application/json" and path != "/openapi.json":
                        assert content["examples"], what
                    for name, example in content.get("examples", {}).items():
                        bodies += 1
                        if media_type == "text/event-stream":
                            for event in example["value"]:
                                data = event["data"]
                                judge.check(of_parsed_data(content["itemSchema"], document["components"]["schemas"]),
                                            event | {"data": data if data == "[DONE]" else json.loads(data)}, f"{what}: {name}")
                        else:
                            judge.check(content["schema"], example["value"], f"{what}: {name}")
    assert bodies > 200


@pytest.mark.parametrize("mode", ["positive", "negative"])
def test_49_requests_made_from_the_document(gateway, document, tmp_path: Path, mode):
    """schemathesis: no 5xx, no undocumented status or media type, bodies as announced, bad requests refused.

    `max_tokens` and the size of pictures are pinned to small values in the document that the fuzzer reads: what is
    tested is the front, not the engines' speed.
    """
    small = tmp_path / "openapi.json"
    small.write_text(json.dumps(pinned(document)))
    configuration = tmp_path / "schemathesis.toml"
    configuration.write_text("")
    run = subprocess.run(
        [
            Path(sys.executable).with_name("schemathesis"), "--config-file", configuration, "run", small,
            "--url", gateway.url, "--mode", mode, "--max-examples", "25", "--phases", "examples,fuzzing", "--seed", "7",
            "--request-timeout", "120", "--generation-database", "none", "--no-color",
            "--checks", "not_a_server_error,status_code_conformance,content_type_conformance,response_headers_conformance,"
            "response_schema_conformance,negative_data_rejection,unsupported_method",
        ],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=900, cwd=tmp_path,
        env=os.environ | {"COLUMNS": "140"})
    assert run.returncode == 0, run.stdout[-8000:]


def pinned(document: dict) -> dict:
    """The same document with small answers and pictures only."""
    small = {
        "max_tokens": {"const": 1}, "max_completion_tokens": {"const": 1}, "max_output_tokens": {"const": 1}, "n_predict": {"const": 1}, "n": {"type": "integer", "minimum": 1, "maximum": 2}, "best_of": {"const": 2},
        "steps": {"const": 1}, "size": {"const": "64x64"}, "min_tokens": {"const": 0},
    }
    document = json.loads(json.dumps(document))

    def visit(value) -> None:
        if isinstance(value, list):
            for item in value:
                visit(item)
        elif isinstance(value, dict):
            properties = value.get("properties")
            if isinstance(properties, dict) and {"messages", "prompt", "input"} & properties.keys():
                for name in small.keys() & properties.keys():
                    properties[name] = small[name]
                value["required"] = sorted({*value.get("required", []), *(small.keys() & properties.keys() & {"max_tokens", "max_output_tokens", "steps", "size"})})
            for item in value.values():
                visit(item)

    visit(document)
    return document
