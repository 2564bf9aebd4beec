#!/usr/bin/env python3
"""What the gateway costs, beside a FastAPI hello-world and LiteLLM's proxy in the same run.

    ./dev bench gateway [--rounds N] [--seconds N] [--without-litellm]

llm-gateway passes every request on to a worker process that answers at once; FastAPI and LiteLLM answer by themselves.
Medians over rounds in which the servers take turns.
"""

import argparse
import contextlib
import json
import subprocess
import tempfile
from pathlib import Path
from statistics import median

from servers import Server, start_fastapi, start_gateway, start_litellm

HERE = Path(__file__).resolve().parent
CONNECTIONS = (1, 16, 64)


def load(server: Server, connections: int, seconds: int) -> dict:
    """One run of wrk on one thread, so that the server has a core of its own."""
    command = ["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "--timeout", "30s", "-s", str(HERE / "post.lua")]
    run = subprocess.run(
        [*command, f"http://127.0.0.1:{server.port}", "--", "bench"], check=True, stdout=subprocess.PIPE, text=True)
    figures = json.loads(run.stdout.strip().splitlines()[-1])
    if figures["refused"] or figures["errors"]:
        raise RuntimeError(f"{server.name} at {connections} connections: {figures}")
    return figures


def show_overhead(gateway: Server, build: Path, rounds: int, requests: int) -> None:
    run = subprocess.run(
        [build / "test-bin/gateway-overhead", gateway.worker_socket(), str(gateway.port), "bench", str(requests), str(rounds)],
        check=True, stdout=subprocess.PIPE, text=True)
    results = [json.loads(line) for line in run.stdout.splitlines()]
    print(f"\nOne request at a time, {rounds} rounds of {requests}, microseconds")
    print(f"{'':24} {'median':>9} {'p99':>9}")
    for label, figure in (("worker called directly", "direct_us"), ("through the gateway", "gateway_us")):
        print(f"{label:24} {median(r[figure][0] for r in results):9.0f} {median(r[figure][1] for r in results):9.0f}")
    added = [median(r["gateway_us"][i] - r["direct_us"][i] for r in results) for i in (0, 1)]
    print(f"{'added by the gateway':24} {added[0]:9.0f} {added[1]:9.0f}")


def show_throughput(servers: list[Server], rounds: int, seconds: int) -> None:
    figures: dict[tuple[str, int], list[dict]] = {}
    for round_ in range(rounds):
        for server in servers if round_ % 2 == 0 else servers[::-1]:
            for connections in CONNECTIONS:
                figures.setdefault((server.name, connections), []).append(load(server, connections, seconds))
    print(f"\nRequests per second, median of {rounds} rounds of {seconds} s; in brackets llm-gateway's multiple of it")
    print(f"{'':16}" + "".join(f"{f'{c} connections':>22}" for c in CONNECTIONS) + f"{'p99 ms at 16':>16}")
    ours = servers[0].name

    def middle(name: str, connections: int, figure: str) -> float:
        return median(f[figure] for f in figures[name, connections])

    for server in servers:
        cells = ""
        for connections in CONNECTIONS:
            rate = middle(server.name, connections, "requests_per_second")
            ratio = middle(ours, connections, "requests_per_second") / rate
            cells += f"{rate:13.0f} ({ratio:5.1f}x)"
        print(f"{server.name:16}{cells}{middle(server.name, 16, 'p99_us') / 1000:16.1f}")


def show_size(servers: list[Server], starts: dict[str, list[float]]) -> None:
    print("\nStart to first answer (median) and resident memory after the load")
    for server in servers:
        print(f"{server.name:16} {median(starts[server.name]) * 1000:9.0f} ms {server.resident_mib():9.1f} MiB")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, required=True)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=int, default=3, help="of each run of the load generator")
    parser.add_argument("--requests", type=int, default=2000, help="of each round of the overhead measurement")
    parser.add_argument("--without-litellm", action="store_true")
    options = parser.parse_args()

    with tempfile.TemporaryDirectory(prefix="bench-gateway-") as name, contextlib.ExitStack() as running:
        folder = Path(name)
        starters = [lambda: start_gateway(options.build, folder), lambda: start_fastapi(folder)]
        if not options.without_litellm:
            starters.append(lambda: start_litellm(folder))
        starts: dict[str, list[float]] = {}
        for starter in starters:
            for _ in range(3):  # the first start reads files from disk
                with starter() as server:
                    starts.setdefault(server.name, []).append(server.seconds_to_listen)
        servers = [running.enter_context(starter()) for starter in starters]
        show_overhead(servers[0], options.build, options.rounds, options.requests)
        show_throughput(servers, options.rounds, options.seconds)
        show_size(servers, starts)


if __name__ == "__main__":
    main()
