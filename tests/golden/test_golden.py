"""What other programs rely on, kept in files so that a change shows in review. To accept a change:

    UPDATE_GOLDEN=1 ./dev test system -- golden
"""

import json
import os
from pathlib import Path

import requests
from prometheus_client.parser import text_string_to_metric_families

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
    assert requests.post(f"{gateway.url}/v1/images/generations", json={"prompt": "[[delay_ms=1]]", "size": "64x64"}, timeout=60).ok
    text = requests.get(f"{gateway.url}/metrics", timeout=60).text
    lines = []
    for family in text_string_to_metric_families(text):
        labels = sorted({label for sample in family.samples for label in sample.labels} - {"le"})
        lines.append(f"{family.name} {family.type} {','.join(labels)}".rstrip())
        assert family.documentation, f"{family.name} has no help text"
    check("metrics.txt", "\n".join(sorted(lines)) + "\n")
