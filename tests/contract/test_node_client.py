"""The official Node client, unchanged but for its base URL; client.mjs does the asking."""

import base64
import io
import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from PIL import Image

from conftest import CHAT, IMAGES, TOOLS
from support.relay import Relay


@pytest.fixture(scope="module")
def found(gateway, judge, tmp_path_factory) -> dict:
    # Node finds packages beside the script, so the script goes to where the packages are linked.
    folder = tmp_path_factory.mktemp("node")
    shutil.copy(Path(__file__).with_name("node") / "client.mjs", folder)
    (folder / "node_modules").symlink_to(Path(os.environ["LLM_GATEWAY_NODE_PACKAGES"]) / "node_modules")
    before = judge.answers
    with Relay(gateway.port, judge.see) as url:
        run = subprocess.run(
            ["node", folder / "client.mjs", f"{url}/v1", CHAT, TOOLS, IMAGES],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=300)
    assert run.returncode == 0, run.stderr
    assert judge.answers >= before + 6
    return json.loads(run.stdout)


def test_models(found):
    assert found["models"] == [CHAT, TOOLS, IMAGES]


def test_the_same_text_whole_streamed_and_collected(found):
    assert "Paris" in found["text"]
    assert found["streamed"] == found["text"] == found["collected"]
    assert found["finishReason"] in ("stop", "length")


def test_01_usage_at_the_end_of_a_stream(found):
    assert found["usage"]["completion_tokens"] > 0


def test_10_a_tool_call(found):
    assert found["toolFinishReason"] == "tool_calls"
    assert found["toolName"] == "get_weather"
    assert isinstance(found["toolArguments"]["city"], str)


def test_36_a_picture(found):
    picture = Image.open(io.BytesIO(base64.b64decode(found["picture"])))
    picture.load()
    assert picture.size == (128, 64)


def test_36_pictures_that_go_on_from_it(found):
    for encoded in (found["edited"], *found["varied"]):
        assert encoded != found["picture"]
        assert Image.open(io.BytesIO(base64.b64decode(encoded))).size == (128, 64)
    assert len(set(found["varied"])) == 2
    assert found["editEvents"] == ["image_edit.partial_image", "image_edit.completed"]


def test_49_an_unknown_model(found):
    assert found["notFound"]["kind"] == "NotFoundError"
    assert found["notFound"]["status"] == 404
    assert found["notFound"]["param"] == "model"
    assert found["notFound"]["requestId"]


def test_a_client_may_leave(found):
    assert found["left"]
