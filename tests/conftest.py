"""Fixtures for every test in Python. `./dev test` sets the environment variables named here."""

import os
import subprocess
import sys
from pathlib import Path

import openai
import pytest

from support.gateway import Gateway

pytest_plugins = ["support.scripted"]

ROOT = Path(__file__).resolve().parent.parent
CHAT = "smollm2-135m-instruct"
TOOLS = "qwen2.5-coder-0.5b-instruct"
IMAGES = "random-weights-sd-nano"
EMBEDDINGS = "all-minilm-l6-v2"
RERANKER = "random-weights-reranker"


@pytest.fixture(scope="session")
def build() -> Path:
    return Path(os.environ.get("LLM_GATEWAY_BUILD", ROOT / "build/release"))


@pytest.fixture(scope="session")
def program(build: Path) -> Path:
    return build / "bin/llm-gateway"


@pytest.fixture(scope="session")
def cache() -> Path:
    return Path(os.environ.get("LLM_GATEWAY_CACHE", Path.home() / ".cache/llm-gateway"))


def fetched(name: str, cache: Path) -> Path:
    command = [sys.executable, ROOT / "models/fetch.py", name, "--folder", cache / "models"]
    return Path(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.strip())


@pytest.fixture(scope="session")
def chat_model(cache: Path) -> Path:
    return fetched(CHAT, cache)


@pytest.fixture(scope="session")
def tools_model(cache: Path) -> Path:
    return fetched(TOOLS, cache)


@pytest.fixture(scope="session")
def image_model(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Model and autoencoder as --image-model takes them."""
    folder = tmp_path_factory.mktemp("image-model")
    model, autoencoder = folder / "nano.safetensors", folder / "nano-tae.safetensors"
    command = [sys.executable, ROOT / "tools/make_tiny_sd.py", "--arch", "nano"]
    subprocess.run([*command, "--out", model, "--autoencoder-out", autoencoder], check=True, stdout=subprocess.DEVNULL)
    return f"{model},taesd={autoencoder}"


@pytest.fixture(scope="session")
def logs(build: Path) -> Path:
    folder = build / "test-logs"
    folder.mkdir(exist_ok=True)
    for old in folder.glob("*.log"):
        old.unlink()
    return folder


@pytest.fixture(scope="session")
def gateway(program: Path, chat_model: Path, tools_model: Path, image_model: str, logs: Path):
    """Both real programs: a small chat model, one with tools, and the image model with random weights."""
    arguments = ["--model", f"{CHAT}={chat_model}", "--model", f"{TOOLS}={tools_model}"]
    arguments += ["--image-model", f"{IMAGES}={image_model}"]
    with Gateway(program, arguments, logs / "contract.log") as running:
        yield running


@pytest.fixture(scope="module")
def everything(program: Path, cache: Path, chat_model: Path, image_model: str, logs: Path, request: pytest.FixtureRequest):
    """A gateway with a model of each kind."""
    arguments = ["--model", f"{CHAT}={chat_model}", "--image-model", f"{IMAGES}={image_model}"]
    for name in (EMBEDDINGS, RERANKER):
        arguments += ["--model", f"{name}={fetched(name, cache)}"]
    with Gateway(program, arguments, logs / f"{request.module.__name__}.log") as running:
        yield running


@pytest.fixture(scope="session")
def base_url(gateway: Gateway) -> str:
    return f"{gateway.url}/v1"


@pytest.fixture(scope="session")
def client(base_url: str) -> openai.OpenAI:
    """The official client, unchanged but for its base URL."""
    return openai.OpenAI(base_url=base_url, api_key="unused", max_retries=0, timeout=600)
