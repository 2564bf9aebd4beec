"""The OpenAPI document is valid, complete, and true: requests made from it by a fuzzer get the answers it announces."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import openapi_spec_validator
import pytest
import requests

from conftest import CHAT, EMBEDDINGS, IMAGES, RERANKER
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
        "/v1/messages", "/v1/images/generations", "/v1/images/edits", "/v1/images/variations", "/v1/images/upscale",
        "/v1/images/files/{file}", "/v1/models", "/v1/models/{id}", "/health/live",
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

    for path in ("/v1/chat/completions", "/v1/responses", "/v1/messages", "/v1/images/generations", "/v1/images/edits", "/v1/images/upscale"):
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


@pytest.fixture(scope="module")
def kept(everything) -> dict[str, list[str]]:
    """Names of answers that are kept, for requests that look one up; some may be deleted."""
    chat = {"model": CHAT, "messages": [{"role": "user", "content": "hi"}], "max_tokens": 1, "store": True}
    response = {"model": CHAT, "input": "hi", "max_output_tokens": 1}
    return {name: [requests.post(everything.url + path, json=body, timeout=60).json()["id"] for _ in range(8)]
            for name, path, body in (("completion_id", "/v1/chat/completions", chat), ("response_id", "/v1/responses", response))}


@pytest.mark.parametrize("mode", ["positive", "negative"])
def test_49_requests_made_from_the_document(everything, kept, tmp_path: Path, mode):
    """schemathesis: no 5xx, no undocumented status or media type, bodies and each event of a stream as announced, bad requests
    refused, methods as they are, over all operations.

    One check is left out, that all data that fit the schema are taken: what fields must be together (`stream_options` with
    `stream`), and what a model cannot do, is refused too, and no schema says it.
    """
    document = requests.get(f"{everything.url}/openapi.json", timeout=30).json()
    small = tmp_path / "openapi.json"
    document = with_names(document, kept)
    # Requests that break the pins would be good ones.
    small.write_text(json.dumps(pinned(document) if mode == "positive" else document))
    configuration = tmp_path / "schemathesis.toml"
    configuration.write_text("")
    run = subprocess.run(
        [
            Path(sys.executable).with_name("schemathesis"), "--config-file", configuration, "run", small,
            "--url", everything.url, "--mode", mode, "--max-examples", "25", "--phases", "examples,coverage,fuzzing",
            "--seed", "7", "--request-timeout", "120", "--generation-database", "none", "--no-color",
            "--checks", "all", "--exclude-checks", "positive_data_acceptance",
        ],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=900, cwd=tmp_path,
        env=os.environ | {"COLUMNS": "140"})
    assert run.returncode == 0, run.stdout[-8000:]
    selected = re.search(r"Selected: (\d+)/(\d+)\n\s*Tested: (\d+)", run.stdout)
    assert selected and len(set(selected.groups())) == 1, run.stdout[-2000:]


def with_names(document: dict, kept: dict[str, list[str]]) -> dict:
    """The same document with names of models and kept answers that are there, so that requests get further than that."""
    document = json.loads(json.dumps(document))
    for operations in document["paths"].values():
        for operation in operations.values():
            for parameter in operation.get("parameters", []):
                if parameter["name"] in kept:
                    parameter["schema"] = {"enum": kept[parameter["name"]]}
                elif parameter["name"] == "model" and parameter["in"] == "path":
                    parameter["schema"] = {"enum": [CHAT, IMAGES]}
    return document


def pinned(document: dict) -> dict:
    """The same document with models that are there, and with small answers and pictures only: what is tested is the front and not the
    engines' speed."""
    small = {
        "max_tokens": {"const": 1}, "max_completion_tokens": {"const": 1}, "max_output_tokens": {"const": 1}, "n_predict": {"const": 1},
        "n": {"type": "integer", "minimum": 1, "maximum": 2}, "best_of": {"const": 2}, "steps": {"const": 1}, "size": {"const": "64x64"},
        "min_tokens": {"const": 0}, "width": {"const": 64}, "height": {"const": 64}, "batch_size": {"const": 1}, "n_iter": {"const": 1},
    }
    always = {"max_tokens", "max_output_tokens", "steps", "size", "model", "width", "height"}
    document = json.loads(json.dumps(document))
    hires = document["components"]["schemas"]["Hires"]
    hires["properties"] |= {"steps": {"const": 1}, "scale": {"const": 1}}
    hires["required"] = ["steps"]
    for name, schema in document["components"]["schemas"].items():
        if name.endswith("Request"):
            model = {"CreateImageRequest": IMAGES, "EditImageRequest": IMAGES, "CreateImageEditRequest": IMAGES,
                     "CreateImageVariationRequest": IMAGES, "UpscaleImageRequest": IMAGES, "CreateEmbeddingRequest": EMBEDDINGS, "RerankRequest": RERANKER}.get(name, CHAT)
            properties = schema["properties"]
            properties |= {key: value for key, value in (small | {"model": {"const": model}}).items() if key in properties}
            schema["required"] = sorted({*schema.get("required", []), *(always & properties.keys())})
    return document
