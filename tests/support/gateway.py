"""A running llm-gateway with its workers, for tests: started on a free port, ended with the `with` block."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import time
from pathlib import Path

import psutil
import requests
from prometheus_client.parser import text_string_to_metric_families


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_until(condition, what: str, seconds: float = 60, interval: float = 0.02):
    """Returns the first true value of `condition()`. The limit is generous: machines that run tests are busy."""
    deadline = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > deadline:
            raise AssertionError(f"not within {seconds} s: {what}")
        time.sleep(interval)


class Gateway:
    """`arguments` are those of `llm-gateway serve`, without host and port."""

    def __init__(self, program: Path, arguments: list[str], log: Path, environment: dict[str, str] | None = None):
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.log = log
        self.command = [str(program), "serve", "--host", "127.0.0.1", "--port", str(self.port), *arguments]
        self.environment = os.environ | (environment or {})
        self.process: subprocess.Popen | None = None

    def start(self, wait: str | None = "ready", seconds: float = 120) -> Gateway:
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(self.command, stdout=log, stderr=log, env=self.environment)
        if wait:
            try:
                self.wait_for(f"/health/{wait}", seconds)
            except BaseException:
                self.stop()  # nobody else would: a `with` block that was not entered is not left
                raise
        return self

    def wait_for(self, path: str, seconds: float = 120) -> None:
        def answers() -> bool:
            if self.process.poll() is not None:
                raise AssertionError(f"the gateway ended with {self.process.returncode}:\n{self.log_text()[-3000:]}")
            try:
                return requests.get(self.url + path, timeout=5).status_code == 200
            except requests.ConnectionError:
                return False

        wait_until(answers, f"200 from {path}\n{self.log_text()[-3000:]}", seconds)

    def __enter__(self) -> Gateway:
        return self.start()

    def __exit__(self, *_) -> None:
        self.stop()

    def stop(self, seconds: float = 60) -> int:
        """Ends the gateway as a service manager does, and returns its exit status."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(seconds)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        return self.process.returncode

    def log_text(self) -> str:
        return self.log.read_text(errors="replace")

    def workers(self) -> dict[str, psutil.Process]:
        """The running workers by the name of their model."""
        found = {}
        for child in psutil.Process(self.process.pid).children():
            try:
                command, status = child.cmdline(), child.status()
            except psutil.Error:
                continue
            if "--name" in command and status != psutil.STATUS_ZOMBIE:
                found[command[command.index("--name") + 1]] = child
        return found

    def metric(self, name: str, **labels: str) -> float:
        """The sum of all samples of `name` that have these labels."""
        text = requests.get(self.url + "/metrics", timeout=30).text
        samples = [
            sample.value
            for family in text_string_to_metric_families(text)
            for sample in family.samples
            if sample.name == name and labels.items() <= sample.labels.items()
        ]
        return sum(samples)
