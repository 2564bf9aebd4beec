"""A gateway whose workers compute nothing and do what prompts tell them (tests/scripted/directives.hpp)."""

import json
import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from support.gateway import Gateway

SANITIZER_FINDINGS = ("AddressSanitizer", "LeakSanitizer", "ThreadSanitizer", "runtime error:")


@pytest.fixture(scope="session")
def scripted_build(build: Path) -> Path:
    """`./dev test` gives a sanitised one."""
    return Path(os.environ.get("LLM_GATEWAY_SCRIPTED_BUILD", build))


@pytest.fixture
def scripted(scripted_build: Path, tmp_path: Path, logs: Path, request: pytest.FixtureRequest):
    """scripted(settings, models=…, images=…, wait=…) -> a started Gateway. Models are names, or names with a path."""
    started: list[Gateway] = []

    def start(settings: dict | None = None, *, models=("chat",), images=(), wait: str | None = "ready") -> Gateway:
        configuration = tmp_path / f"gateway-{len(started)}.yaml"
        settings = (settings or {}) | {"workers": {"folder": str(scripted_build / "test-bin")} | (settings or {}).get("workers", {})}
        configuration.write_text(json.dumps(settings))  # JSON is YAML
        arguments = ["--config", str(configuration)]
        for option, names in (("--model", models), ("--image-model", images)):
            for name in names:
                arguments += [option, name if "=" in name else f"{name}=scripted-{name}"]
        log = logs / f"{re.sub(r'[^-_a-z0-9]+', '_', request.node.name)}-{len(started)}.log"
        gateway = Gateway(scripted_build / "bin/llm-gateway", arguments, log)
        started.append(gateway)
        return gateway.start(wait)

    yield start
    for gateway in started:
        gateway.stop()
        found = [word for word in SANITIZER_FINDINGS if word in gateway.log_text()]
        assert not found, gateway.log_text()[-6000:]


@pytest.fixture
def say() -> Callable[..., dict]:
    """say("[[tokens=3]]", stream=True) -> the body of a chat request."""

    def body(text: str, model: str = "chat", **more) -> dict:
        return {"model": model, "messages": [{"role": "user", "content": text}]} | more

    return body
