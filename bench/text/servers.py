"""Starts and ends the servers that are compared: llm-gateway and llama-server, each on a free loopback port."""

import json
import os
import signal
import socket
import subprocess
import time
import urllib.request
from dataclasses import dataclass
from pathlib import Path


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@dataclass(frozen=True)
class Settings:
    """What both servers are told. `context` is what one request can use."""

    context: int = 8192
    slots: int = 8
    flash_attention: str = "auto"
    unified: bool | None = None  # llama-server only

    def label(self) -> str:
        kv = {None: "default kv", True: "unified kv", False: "separate kv"}[self.unified]
        return f"fa {self.flash_attention}, {self.slots} slots, {kv}"


class Server:
    """A running server; ends with the `with` block."""

    def __init__(self, command: list[str], port: int, ready_path: str, log: Path):
        self.port = port
        self._log = log.open("wb")
        self._process = subprocess.Popen(command, stdout=self._log, stderr=subprocess.STDOUT)
        deadline = time.monotonic() + 120
        while time.monotonic() < deadline:
            if self._process.poll() is not None:
                raise RuntimeError(f"{command[0]} ended with {self._process.returncode}; see {log}")
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{port}{ready_path}", timeout=5) as reply:
                    if reply.status == 200:
                        return
            except OSError:
                time.sleep(0.05)
        self.close()
        raise RuntimeError(f"{command[0]} was not ready within 120 s; see {log}")

    def __enter__(self) -> "Server":
        return self

    def __exit__(self, *_) -> None:
        self.close()

    def close(self) -> None:
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGTERM)
            try:
                self._process.wait(timeout=30)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
        self._log.close()

    def resident_bytes(self) -> int:
        """Proportional resident memory of the process and everything it started."""
        total = 0
        for pid in descendants(self._process.pid):
            try:
                rollup = Path(f"/proc/{pid}/smaps_rollup").read_text()
            except OSError:
                continue
            total += sum(int(line.split()[1]) * 1024 for line in rollup.splitlines() if line.startswith("Pss:"))
        return total

    def cpu_seconds(self) -> float:
        total = 0
        for pid in descendants(self._process.pid):
            try:
                fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
            except OSError:
                continue
            total += int(fields[11]) + int(fields[12])
        return total / os.sysconf("SC_CLK_TCK")


def descendants(pid: int) -> list[int]:
    found = [pid]
    for task in found:
        try:
            children = Path(f"/proc/{task}/task/{task}/children").read_text().split()
        except OSError:
            continue
        found.extend(int(child) for child in children)
    return found


def start_gateway(binary: Path, model: Path, settings: Settings, log: Path) -> Server:
    port = free_port()
    configuration = {
        "server": {"port": port},
        "models": [
            {
                "name": "bench",
                "kind": "text",
                "path": str(model),
                "context": settings.context,
                "slots": settings.slots,
                "flash_attention": settings.flash_attention,
            }
        ],
    }
    file = log.with_suffix(".yaml")
    file.write_text(json.dumps(configuration))  # JSON is YAML
    return Server([str(binary), "serve", "--config", str(file)], port, "/health/ready", log)


def start_llama_server(binary: Path, model: Path, settings: Settings | None, context: int, log: Path) -> Server:
    """`settings` None: llama-server's defaults, but for the context that the workload needs."""
    port = free_port()
    command = [str(binary), "-m", str(model), "--host", "127.0.0.1", "--port", str(port), "--jinja", "--offline"]
    if settings is None:
        command += ["-c", str(context)]
    else:
        total = settings.context if settings.unified else settings.context * settings.slots
        command += ["-c", str(total), "-np", str(settings.slots), "-fa", settings.flash_attention]
        command += ["--kv-unified" if settings.unified else "--no-kv-unified"] if settings.unified is not None else []
    return Server(command, port, "/health", log)
