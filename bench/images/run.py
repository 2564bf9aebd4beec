#!/usr/bin/env python3
"""llm-gateway beside sd-server of the same archive: ratios, medians over alternating rounds.

    ./dev bench images [--only WORKLOAD ...] [--peers NAME ...] [--rounds N] [--json FILE] [--stop-after SECONDS]

Without --only the workloads of a short run, about ten minutes on two cores; `--only all` adds the long ones. With
--json every measurement is kept at once, and the same command later measures only what is missing. Models have real
shapes and random weights (tools/make_tiny_sd.py).
"""

import argparse
import asyncio
import itertools
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(1, str(ROOT / "bench/text"))

from checkpoints import MODELS, files_of  # noqa: E402
from drawings import WORKLOADS, Workload, picture  # noqa: E402
from image_request import draw  # noqa: E402
from image_table import show  # noqa: E402
from model_file import fetch  # noqa: E402
from painters import PEERS, Painter, start_gateway, start_sd_server  # noqa: E402
from results import Figures, Key, Results, machine  # noqa: E402

CHAT_MODEL = "smollm2-135m-instruct"


class Bench:
    """Keeps servers for as long as the next workload uses them too."""

    def __init__(self, options: argparse.Namespace, results: Results, folder: Path):
        self.options = options
        self.results = results
        self.folder = folder
        self.logs = itertools.count()
        self.until = time.monotonic() + (options.stop_after or 1e9)
        self.running: dict[tuple[str, str, bool], Painter] = {}

    def painter(self, server: str, workload: Workload) -> Painter:
        key = (server, workload.model, workload.with_chat)
        if key not in self.running:
            self.running[key] = self.start(server, workload)
        return self.running[key]

    def start(self, server: str, workload: Workload) -> Painter:
        options = self.options
        files = files_of(MODELS[workload.model], options.model_folder)
        chat_model = fetch(CHAT_MODEL, options.model_folder) if workload.with_chat else None
        log = self.folder / f"{next(self.logs)}-{server}.log"
        if server == "ours":
            painter = start_gateway(options.gateway, files, chat_model, log)
            self.results.facts["kernels"] = painter.images.kernels()
        else:
            peer = PEERS[server]
            binary = options.sd_server if peer.own_engine else options.sd_server_readme
            painter = start_sd_server(peer, binary, options.llama_server, files, chat_model, log)
        # Touches the weights and the code.
        asyncio.run(draw(painter, picture(workload.model, 64, 1, 9999)))
        return painter

    def close_all_but(self, workload: Workload | None) -> None:
        kept = (workload.model, workload.with_chat) if workload else None
        for key in [key for key in self.running if key[1:] != kept]:
            self.running.pop(key).close()

    def compare(self, name: str) -> bool:
        """False when the time is over."""
        workload = WORKLOADS[name]
        self.close_all_but(workload)
        servers = ["ours", *self.options.peers]
        for round_ in range(self.options.rounds or workload.rounds):
            for server in servers if round_ % 2 == 0 else servers[::-1]:
                key = Key("", name, server)
                if len(self.results.rounds(key)) > round_:
                    continue
                if time.monotonic() > self.until:
                    return False
                print(f"{key.text()}, round {round_ + 1}", flush=True)
                self.results.add(key, self.measure(workload, server, seed=100 + round_))
        return True

    def measure(self, workload: Workload, server: str, seed: int) -> Figures | None:
        painter = self.painter(server, workload)
        try:
            return asyncio.run(workload.run(painter, seed))
        except RuntimeError as problem:
            if server == "ours":
                raise
            print(f"  fails: {problem}", flush=True)
            return None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gateway", type=Path, required=True)
    parser.add_argument("--sd-server", type=Path, required=True)
    parser.add_argument("--sd-server-readme", type=Path, required=True)
    parser.add_argument("--llama-server", type=Path, required=True)
    parser.add_argument("--model-folder", type=Path, required=True)
    parser.add_argument("--only", nargs="*", choices=[*WORKLOADS, "all"], default=[])
    parser.add_argument("--peers", nargs="*", choices=PEERS, default=["same", "readme"])
    parser.add_argument("--rounds", type=int, help="of each workload; default: more of the short ones")
    parser.add_argument("--json", type=Path, help="keep the results here, and continue from them")
    parser.add_argument("--stop-after", type=float, help="start no measurement after this many seconds")
    options = parser.parse_args()
    chosen = options.only or [name for name, workload in WORKLOADS.items() if workload.in_short_run]
    chosen = list(WORKLOADS) if "all" in chosen else chosen
    results = Results(options.json)
    results.facts.update(machine())
    complete = True
    with tempfile.TemporaryDirectory(prefix="bench-images-") as folder:
        bench = Bench(options, results, Path(folder))
        try:
            complete = all(bench.compare(name) for name in chosen)
        finally:
            bench.close_all_but(None)
    show(results)
    if not complete:
        sys.exit("stopped after the given time; the same command continues")


if __name__ == "__main__":
    main()
