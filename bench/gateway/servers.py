"""Starts and ends the servers that are compared, each on a free loopback port."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

HERE = Path(__file__).resolve().parent


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Server:
    """A running server; ends with the `with` block. `seconds_to_listen` is from its start to its first answer."""

    def __init__(self, name: str, command: list[str], port: int, health: str, log: Path, environment: dict[str, str] | None = None):
        self.name = name
        self.port = port
        with log.open("wb") as output:
            start = time.monotonic()
            self.process = subprocess.Popen(
                command, stdout=output, stderr=output, env=os.environ | (environment or {}), start_new_session=True)
        while not self.answers(health):
            if self.process.poll() is not None:
                raise RuntimeError(f"{name} ended with {self.process.returncode}; see {log}:\n{log.read_text()[-2000:]}")
            if time.monotonic() - start > 180:
                self.close()
                raise RuntimeError(f"{name} does not answer; see {log}")
            time.sleep(0.002)
        self.seconds_to_listen = time.monotonic() - start

    def answers(self, path: str) -> bool:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}{path}", timeout=5) as reply:
                return reply.status == 200
        except OSError:
            return False

    def wait_for(self, path: str, seconds: float = 60) -> None:
        deadline = time.monotonic() + seconds
        while not self.answers(path):
            if time.monotonic() > deadline:
                raise RuntimeError(f"{self.name}: {path} is not 200")
            time.sleep(0.02)

    def __enter__(self) -> Server:
        return self

    def __exit__(self, *_) -> None:
        self.close()

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(30)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()

    def resident_mib(self) -> float:
        """Of the process alone, without its children: of the gateway without its worker."""
        for line in Path(f"/proc/{self.process.pid}/status").read_text().splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) / 1024
        return 0.0

    def worker_socket(self) -> str:
        """Where the gateway's worker listens, from the worker's command line."""
        children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()
        for child in children:
            words = Path(f"/proc/{child}/cmdline").read_text().split("\0")
            if "--socket" in words:
                return words[words.index("--socket") + 1]
        raise RuntimeError("the gateway has no worker")


def start_gateway(build: Path, folder: Path) -> Server:
    """With the scripted worker, which answers at once: what is measured is the gateway."""
    port = free_port()
    settings = folder / "gateway.yaml"
    settings.write_text(json.dumps({"workers": {"folder": str(build / "test-bin")}}))  # JSON is YAML
    command = [str(build / "bin/llm-gateway"), "serve", "--config", str(settings), "--host", "127.0.0.1", "--port", str(port)]
    server = Server("llm-gateway", [*command, "--model", "bench=scripted"], port, "/health/live", folder / "gateway.log")
    server.wait_for("/health/ready")
    return server


def start_fastapi(folder: Path) -> Server:
    port = free_port()
    command = [sys.executable, "-m", "uvicorn", "hello:app", "--host", "127.0.0.1", "--port", str(port), "--no-access-log"]
    return Server("FastAPI hello", [*command, "--app-dir", str(HERE)], port, "/health", folder / "fastapi.log")


def start_litellm(folder: Path) -> Server:
    """With a made-up answer inside the proxy: it calls nobody, which is its best case."""
    port = free_port()
    settings = folder / "litellm.yaml"
    model = {"model": "openai/bench", "api_key": "unused", "mock_response": "hello there"}
    general = {"dangerously_permit_weak_or_unset_master_key": True}  # so that it checks no key, as the others
    listed = [{"model_name": "bench", "litellm_params": model}]
    settings.write_text(json.dumps({"model_list": listed, "general_settings": general}))
    command = [str(Path(sys.executable).with_name("litellm")), "--config", str(settings), "--host", "127.0.0.1"]
    offline = {"LITELLM_LOCAL_MODEL_COST_MAP": "True", "LITELLM_LOG": "ERROR"}
    return Server("LiteLLM proxy", [*command, "--port", str(port)], port, "/health/liveliness", folder / "litellm.log", offline)
