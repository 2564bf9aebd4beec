"""openai-java, which checks every answer against its own classes; java/ does the asking."""

import json
import os
import subprocess

import pytest

from conftest import IMAGES, TOOLS


@pytest.fixture(scope="module")
def found(gateway) -> dict:
    command = ["java", "-cp", os.environ["LLM_GATEWAY_CLIENT_JAVA_CLASSES"], "Client", gateway.url, TOOLS, IMAGES]
    run = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


def test_the_same_answer_whole_and_streamed(found):
    assert found["answer"] and found["streamed"] == found["answer"]


def test_a_tool_call(found):
    assert found["tool"] == "get_weather"
    assert json.loads(found["arguments"])["city"]


def test_structured_output(found):
    assert json.loads(found["person"]).keys() == {"name", "age"}


def test_a_picture(found):
    assert found["picture"]


def test_the_models(found):
    assert TOOLS in found["models"]


def test_an_unknown_model(found):
    assert found["error"]["kind"] == "NotFoundException"
    assert found["error"]["code"] == "model_not_found"
