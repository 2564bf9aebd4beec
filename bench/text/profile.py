#!/usr/bin/env python3
"""Where the text worker's time goes: percent by function while it evaluates prompts, and while it generates.

    python3 bench/text/profile.py --gateway build/release/bin/llm-gateway --model FILE [--streams N]

Without guessed tokens. Needs Linux's perf. Samples by the clock, so it works in virtual machines without hardware counters.
"""

import argparse
import asyncio
import subprocess
import tempfile
from pathlib import Path

from client import chat
from prompts import prose, request
from servers import Server, Settings, start_gateway

LEAST_PERCENT = 0.5


def record(worker: int, seconds: float, file: Path) -> subprocess.Popen:
    command = ["perf", "record", "--quiet", "--event", "cpu-clock", "--freq", "997", "--pid", str(worker)]
    return subprocess.Popen([*command, "--output", str(file), "--", "sleep", str(seconds)], stderr=subprocess.DEVNULL)


def table(file: Path) -> list[tuple[float, str]]:
    command = ["perf", "report", "--input", str(file), "--stdio", "--no-children", "--sort", "symbol", "--quiet"]
    report = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    rows = [line.split("%", 1) for line in report.splitlines() if "%" in line]
    return [(float(percent), name.strip().removeprefix("[.] ").removeprefix("[k] ")) for percent, name in rows]


def show(title: str, file: Path) -> None:
    print(f"\n{title}")
    for percent, name in table(file):
        if percent >= LEAST_PERCENT:
            print(f"{percent:6.1f} %  {name[:100]}")


async def prompts(server: Server, file: Path, streams: int) -> None:
    """Prompts of some 3000 tokens, one after another."""
    recording = record(server.worker(), 8, file)
    seed = 0
    while recording.poll() is None:
        seed += 1
        await chat(server.port, request(prose(seed, 2700), tokens=1))


async def generation(server: Server, file: Path, streams: int) -> None:
    """`streams` answers, recorded while all of them generate."""
    bodies = [request(prose(100 + i, 100), tokens=6000 // streams) for i in range(streams)]
    answers = [asyncio.create_task(chat(server.port, body)) for body in bodies]
    await asyncio.sleep(1 + 0.4 * streams)
    recording = record(server.worker(), 8, file)
    while recording.poll() is None:
        await asyncio.sleep(0.1)
    if any(answer.done() for answer in answers):
        print("(an answer was over before the recording)")
    for answer in answers:
        answer.cancel()
    await asyncio.gather(*answers, return_exceptions=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gateway", type=Path, required=True)
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--streams", type=int, default=1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="profile-text-") as folder:
        server = start_gateway(options.gateway, options.model, Settings(speculation=False), Path(folder) / "gateway.log")
        try:
            for phase in (prompts, generation):
                file = Path(folder) / f"{phase.__name__}.perf"
                asyncio.run(phase(server, file, options.streams))
                show(f"{options.model.name}, {phase.__name__}, {server.kernels()} kernels", file)
        finally:
            server.close()


if __name__ == "__main__":
    main()
