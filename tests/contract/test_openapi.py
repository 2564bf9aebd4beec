"""The OpenAPI document is valid, complete, and true: requests made from it by a fuzzer get the answers it announces."""

import json
import os
import subprocess
import sys
from pathlib import Path

import openapi_spec_validator
import pytest
import requests


@pytest.fixture(scope="module")
def document(gateway) -> dict:
    answer = requests.get(f"{gateway.url}/openapi.json", timeout=30)
    assert answer.headers["Content-Type"].startswith("application/json")
    return answer.json()


def test_a_validator_of_another_author_accepts_it(document):
    assert document["openapi"].startswith("3.1")
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
            "--request-timeout", "120", "--generation-database", "none", "--no-color", "--exclude-path-regex", "^/docs",
            "--checks", "not_a_server_error,status_code_conformance,content_type_conformance,response_headers_conformance,"
            "response_schema_conformance,negative_data_rejection,unsupported_method",
        ],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=900, cwd=tmp_path,
        env=os.environ | {"COLUMNS": "140"})
    assert run.returncode == 0, run.stdout[-8000:]


def pinned(document: dict) -> dict:
    """The same document with small answers and pictures only. The schema of a stream describes its whole text; the fuzzer
    takes it as that of one event, so it gets one: what the data hold is checked by the tests of each stream."""
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
    for path in document["paths"].values():
        for operation in path.values():
            stream = operation.get("responses", {}).get("200", {}).get("content", {}).get("text/event-stream")
            if stream:
                stream["schema"] = {"type": "object", "properties": {"data": {"type": "string"}}, "required": ["data"]}
    return document
