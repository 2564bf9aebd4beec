"""What other programs rely on, kept in files so that a change shows in review. To accept a change:

    UPDATE_GOLDEN=1 ./dev test system -- golden
"""

import json
import os
import re
from pathlib import Path

import requests
from prometheus_client.parser import text_string_to_metric_families

from support.wire import Connection

FOLDER = Path(__file__).parent


def check(name: str, actual: str) -> None:
    path = FOLDER / name
    if os.environ.get("UPDATE_GOLDEN"):
        path.write_text(actual)
    assert actual == path.read_text(), f"{name} changed; see {__file__} for how to accept it"


def test_openapi_document(scripted):
    document = requests.get(f"{scripted().url}/openapi.json", timeout=60).json()
    check("openapi.json", json.dumps(document, indent=1, sort_keys=True, ensure_ascii=False) + "\n")


def test_metric_names_types_and_labels(scripted, say):
    gateway = scripted(images=["pictures"])
    assert requests.post(f"{gateway.url}/v1/chat/completions", json=say("[[tokens=3]]"), timeout=60).ok
    assert requests.post(f"{gateway.url}/v1/images/generations", json={"prompt": "x", "size": "64x64"}, timeout=60).ok
    text = requests.get(f"{gateway.url}/metrics", timeout=60).text
    lines = []
    for family in text_string_to_metric_families(text):
        labels = sorted({label for sample in family.samples for label in sample.labels} - {"le"})
        lines.append(f"{family.name} {family.type} {','.join(labels)}".rstrip())
        assert family.documentation, f"{family.name} has no help text"
    check("metrics.txt", "\n".join(sorted(lines)) + "\n")


def test_transcript_of_a_stream(scripted, say):
    gateway = scripted()
    body = say("[[tokens=2]]", stream=True, seed=1, stream_options={"include_usage": True})
    with Connection(gateway.port) as connection:
        connection.send("POST", "/v1/chat/completions", body)
        connection.read_head()
        raw = b"".join(connection.chunks()).decode()
        head = "".join(f"{name}: {value}\n" for name, value in sorted(connection.headers.items()))
    transcript = head + "\n" + raw
    transcript = re.sub(r'"created":\s?\d+', '"created":0', transcript)
    transcript = re.sub(r"chatcmpl-[\w-]+", "chatcmpl-0", transcript)
    transcript = re.sub(r"(?m)^(date|x-request-id|x-processing-ms|server-timing|openai-processing-ms): .*$", r"\1: …", transcript)
    transcript = re.sub(r"\d+\.\d+(e-\d+)?", "0.0", transcript)
    check("stream.txt", transcript)
