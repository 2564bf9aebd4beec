"""Clients for Node; the scripts of node/ do the asking. `./dev test clients` says where their packages are."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from conftest import IMAGES, TOOLS


@pytest.fixture(scope="module")
def run(gateway, tmp_path_factory):
    """run("script.mjs", argument, …) -> what the script found."""
    # Node finds packages beside the script, so the scripts go to where the packages are linked.
    folder = tmp_path_factory.mktemp("node")
    (folder / "node_modules").symlink_to(Path(os.environ["LLM_GATEWAY_CLIENT_NODE_PACKAGES"]) / "node_modules")

    def run(script: str, *arguments: str) -> dict:
        shutil.copy(Path(__file__).with_name("node") / script, folder)
        ended = subprocess.run(["node", folder / script, gateway.url, TOOLS, *arguments], capture_output=True, text=True,
                               timeout=300)
        assert ended.returncode == 0, ended.stderr
        return json.loads(ended.stdout)

    return run


def check(found: dict) -> None:
    """What every script finds."""
    assert found["answer"] and found["streamed"] == found["answer"]
    assert found["city"]
    assert found["person"]["name"] is not None and 0 <= found["person"]["age"] <= 150
    assert found["error"]["typed"]


def test_openai(run):
    found = run("openai.mjs", IMAGES)
    check(found)
    assert found["picture"]
    assert found["error"]["code"] == "model_not_found" and found["error"]["param"] == "model"
    assert found["error"]["requestId"]


def test_anthropic(run):
    found = run("anthropic.mjs")
    check(found)
    assert found["collected"] == found["answer"]
    assert found["stopReason"] in ("end_turn", "max_tokens") and found["callReason"] == "tool_use"
    assert found["afterwards"]
    assert found["counted"] == found["counts"]
    assert found["error"]["type"] == "not_found_error"
    assert found["requestId"] and found["error"]["requestId"]


@pytest.mark.parametrize("provider", ["openai", "openai-compatible", "anthropic"])
def test_vercel(run, provider):
    found = run("vercel.mjs", provider)
    check(found)
    assert found["pieces"] > 1
    assert found["usage"]["inputTokens"] > 10 and found["streamedUsage"]["outputTokens"] > 1
    assert found["callReason"] == "tool-calls" and "get_weather" in found["streamedCalls"]
    assert found["error"]["status"] == 404 and "gpt-9" in found["error"]["message"]
