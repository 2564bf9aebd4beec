"""OpenAI's published document as a check of our answers, where it is at hand: a file named by LLM_GATEWAY_OPENAI_DOCUMENT, or
openai/openai.json in a folder `shared` beside this repository. Elsewhere the types of OpenAI's own client are the check."""

import functools
import json
import os
from pathlib import Path

import jsonschema

BESIDE = Path(__file__).resolve().parents[3] / "shared/openai/openai.json"


@functools.cache
def document() -> dict | None:
    path = Path(os.environ.get("LLM_GATEWAY_OPENAI_DOCUMENT", BESIDE))
    return json.loads(path.read_text()) if path.is_file() else None


@functools.cache
def validator(name: str) -> jsonschema.Draft202012Validator:
    whole = document()
    return jsonschema.Draft202012Validator({"$ref": f"#/components/schemas/{name}", "components": whole["components"]})


def check_published(name: str, body: dict) -> None:
    """`body` is what the schema `name` of the document says."""
    if document() is not None:
        best = jsonschema.exceptions.best_match(validator(name).iter_errors(body))
        assert best is None, f"{name}: {best.json_path}: {best.message}"
