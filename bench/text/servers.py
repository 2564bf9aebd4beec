"""Starts and ends the servers that are compared: llm-gateway and llama-server, each on a free loopback port."""

import json
import os
import re
import signal
import socket
import subprocess
import time
import urllib.request
from dataclasses import dataclass
from pathlib import Path

# Our patches are in the engine that both servers load; with these switches llama-server is what upstream builds
# (engines/README.md).
UPSTREAM_KERNELS = {
    "GGML_FATTN_GROUPED": "0",
    "GGML_IM2COL_BLOCKED": "0",
    "GGML_BARRIER_SPINS": "-1",
    "GGML_PANEL_MM": "0",
    "LLAMA_KV_BLOCKS": "0",
}


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What a server is told. `context` is what one request can use; None leaves a choice to the server."""

    context: int = 8192
    slots: int | None = None
    flash_attention: str | None = None
    speculation: bool = True  # llm-gateway only
    unified: bool | None = None  # llama-server only
    extra: tuple[str, ...] = ()  # llama-server only

    def label(self) -> str:
        kv = {None: "", True: "unified", False: "separate"}[self.unified]
        parts = [self.flash_attention and f"fa {self.flash_attention}", self.slots and f"{self.slots} slots", kv]
        return ", ".join([part for part in parts if part] + [" ".join(self.extra)] * bool(self.extra)) or "defaults"


class Server:
    """A running server; `close` ends it and what it started."""

    def __init__(self, command: list[str], port: int, ready_path: str, log: Path, environment: dict[str, str] = {},
                 folder: Path | None = None):
        """`folder`: where it is started."""
        self.port = port
        self._log_path = log
        self._log = log.open("wb")
        self._process = subprocess.Popen(
            command, stdout=self._log, stderr=subprocess.STDOUT, env=os.environ | environment, cwd=folder
        )
        deadline = time.monotonic() + 120
        while time.monotonic() < deadline:
            if self._process.poll() is not None:
                raise RuntimeError(f"{command[0]} ended with {self._process.returncode}: {log.read_text()[-2000:]}")
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{port}{ready_path}", timeout=5) as reply:
                    if reply.status == 200:
                        return
            except OSError:
                time.sleep(0.05)
        self.close()
        raise RuntimeError(f"{command[0]} was not ready within 120 s: {log.read_text()[-2000:]}")

    def close(self) -> None:
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGTERM)
            try:
                self._process.wait(timeout=30)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
        self._log.close()

    def kernels(self) -> str:
        """The variant of ggml's CPU kernels that it says it loaded."""
        found = re.search(r"libggml-cpu-(\w+)\.so|kernels=(\w+)", self._log_path.read_text(errors="replace"))
        return next(filter(None, found.groups()), "unknown") if found else "unknown"

    def resident_bytes(self) -> int:
        """Proportional resident memory of the process and everything it started."""
        total = 0
        for pid in self._processes():
            try:
                rollup = Path(f"/proc/{pid}/smaps_rollup").read_text()
            except OSError:
                continue
            total += sum(int(line.split()[1]) * 1024 for line in rollup.splitlines() if line.startswith("Pss:"))
        return total

    def forget_peak(self) -> None:
        """From now on `peak_bytes` is that of what follows."""
        for pid in self._processes():
            Path(f"/proc/{pid}/clear_refs").write_text("5")

    def peak_bytes(self) -> int:
        """The most that was resident of each of its processes, added up."""
        status = [Path(f"/proc/{pid}/status").read_text() for pid in self._processes()]
        return sum(int(re.search(r"VmHWM:\s+(\d+) kB", each)[1]) * 1024 for each in status)

    def cpu_seconds(self) -> float:
        """Of all its threads that live now; exact to a scheduler tick."""
        total = 0
        for pid in self._processes():
            for task in Path(f"/proc/{pid}/task").glob("*/schedstat"):
                try:
                    total += int(task.read_text().split()[0])
                except OSError:
                    continue
        return total / 1e9

    def worker(self) -> int:
        """The process that it started last."""
        return self._processes()[-1]

    def _processes(self) -> list[int]:
        found = [self._process.pid]
        for pid in found:
            for children in Path(f"/proc/{pid}/task").glob("*/children"):
                try:
                    found.extend(int(child) for child in children.read_text().split())
                except OSError:
                    continue
        return found


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def start_gateway(binary: Path, model: Path, settings: Settings, log: Path) -> Server:
    port = free_port()
    entry = {"name": "bench", "kind": "text", "path": str(model), "context": settings.context}
    entry |= {"slots": settings.slots} if settings.slots else {}
    entry |= {"flash_attention": settings.flash_attention} if settings.flash_attention else {}
    entry |= {} if settings.speculation else {"speculation": "off"}
    file = log.with_suffix(".yaml")
    file.write_text(json.dumps({"server": {"port": port}, "models": [entry]}))  # JSON is YAML
    return Server([str(binary), "serve", "--config", str(file)], port, "/health/ready", log)


def start_llama_server(binary: Path, model: Path, settings: Settings, pool: int, upstream: bool, log: Path) -> Server:
    """`pool`: cells that the requests which run at once need together, if they share one pool."""
    port = free_port()
    command = [str(binary), "-m", str(model), "--host", "127.0.0.1", "--port", str(port), "--jinja", "--offline"]
    # Without further arguments it has one unified pool.
    total = settings.context * (settings.slots or 1) if settings.unified is False else max(pool, settings.context)
    command += ["-c", str(total)]
    command += ["-np", str(settings.slots)] if settings.slots else []
    command += ["-fa", settings.flash_attention] if settings.flash_attention else []
    if settings.unified is not None:
        command += ["--kv-unified" if settings.unified else "--no-kv-unified"]
    return Server(command + list(settings.extra), port, "/health", log, UPSTREAM_KERNELS if upstream else {})
