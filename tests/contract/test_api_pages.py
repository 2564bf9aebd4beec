"""docs/api: its examples are files, the pages show them as they are, and each runs against a real server. UPDATE_DOCS=1 copies
changed examples into the pages."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import requests

from conftest import CHAT
from support.relay import Relay

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGES = sorted((DOCS / "api").glob("*.md"))
EXAMPLES = DOCS / "api/examples"
SHOWN = re.compile(r"^\[examples/(\S+)\]\(examples/\1\):\n\n```(\w+)\n(.*?)```$", re.MULTILINE | re.DOTALL)
# What an example's output has; every program among the examples is here.
EXPECTED = {
    "chat.sh": "Paris",
    "chat_stream.py": r"\d+ tokens$",
    "chat_tools.py": r"^get_weather \{'city': ",
    "chat_schema.py": r"^.+ \d+$",
    "chat_kept.sh": '"object":"list"',
    "completions.sh": '"text":" four',
    "completions_stream.py": r"\w+",
    "responses.sh": "Paris",
    "responses_conversation.py": r"[1-9]\d* tokens were evaluated already\n(.*\n)*user What is my name\?",
    "responses_background.py": "^(completed|incomplete)\n.+",
    "messages.sh": "Paris",
    "messages_stream.sh": "event: message_stop",
    "messages_tools.sh": '"stop_reason":"tool_use"',
    "embeddings.sh": '"embedding":',
    "embeddings_nearest.py": "^It will rain tomorrow.$",
    "rerank.sh": '"relevance_score":',
    "tokens.sh": "Hello world.*Answer in one sentence.*input_tokens",
    "models.sh": CHAT,
    "images.sh": '"b64_json":',
    "images_edit.py": r"^http://.*/v1/images/files/\w+\.png\?expires=\d+&signature=\w+\n(.*\n)?2 variations$",
    "images_stream.py": "image_generation.partial_image\nimage_generation.completed\n64x64",
    "images_jobs.py": r"^in_progress step \d+ of 200 predicted seconds \d.*\ncancelled\n499 The job was cancelled\.$",
    "a1111.sh": r'"images":\["iVBOR',
    "operations.sh": r"gateway_requests_total",
    "errors.sh": '"code":"invalid_value"',
}


def shown_text(name: str) -> str:
    """An example as the pages show it: without the line that says what runs it."""
    return re.sub(r"^#!.*\n", "", (EXAMPLES / name).read_text())


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_shows_its_examples_as_they_are(page):
    text = page.read_text()
    made = SHOWN.sub(lambda found: f"[examples/{found[1]}](examples/{found[1]}):\n\n```{found[2]}\n{shown_text(found[1])}```", text)
    if os.environ.get("UPDATE_DOCS"):
        page.write_text(made)
    assert made == page.read_text(), "an example is another one than the page shows; UPDATE_DOCS=1 rewrites the page"
    assert len(SHOWN.findall(made)) == made.count("```") // 2, "every block is an example that is a file"


def test_every_example_is_shown_and_has_an_expectation():
    shown = {name for page in PAGES for name, *_ in SHOWN.findall(page.read_text())}
    assert shown == {path.name for path in EXAMPLES.iterdir()}
    assert EXPECTED.keys() == {name for name in shown if not name.endswith(".json")}


@pytest.mark.parametrize("name", EXPECTED)
def test_an_example_runs(everything, judge, name):
    program = ["sh"] if name.endswith(".sh") else [sys.executable]
    before = judge.answers
    with Relay(everything.port, judge.see) as url:
        run = subprocess.run([*program, name], cwd=EXAMPLES, env=os.environ | {"LLM_GATEWAY_URL": url},
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=300)
    assert judge.answers > before
    assert run.returncode == 0, run.stdout
    assert re.search(EXPECTED[name], run.stdout.strip(), re.MULTILINE | re.DOTALL), run.stdout


def test_every_request_that_is_a_file_is_sent():
    programs = "".join(path.read_text() for path in EXAMPLES.glob("*.sh"))
    for path in EXAMPLES.glob("*.json"):
        json.loads(path.read_text())
        assert f"@{path.name}" in programs, path.name


def test_every_endpoint_has_a_page(everything):
    text = "".join(page.read_text() for page in PAGES)
    for path, operations in requests.get(f"{everything.url}/openapi.json", timeout=60).json()["paths"].items():
        for method in operations:
            if path not in ("/", "/docs/{file}"):
                assert f"`{method.upper()} {path}`" in text, f"{method.upper()} {path} is on no page"


@pytest.mark.parametrize("page", [*PAGES, *DOCS.glob("*.md"), DOCS.parent / "README.md"], ids=lambda page: page.name)
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#:]+)\)", re.sub(r"`[^`]*`", "", page.read_text())):
        assert (page.parent / target).exists(), f"{page.name} leads to {target}, which is not there"
