#!/usr/bin/env python3
"""llm-gateway beside llama-server of the same sources and compiler: ratios, medians over alternating rounds.

    ./dev bench text [--model FILE] [--rounds N] [--only NAME ...] [--grid]

`tuned` is llama-server with the best of a few settings for the workload (with --grid: of all of them, chosen by a trial
round); `default` is llama-server as it comes. A ratio above 1 means that llm-gateway is better.
"""

import argparse
import asyncio
import itertools
import tempfile
from pathlib import Path
from statistics import median

from servers import Settings, start_gateway, start_llama_server
from workloads import SLOTS, WORKLOADS

CONTEXT = 8192


def better(name: str, ours: float, theirs: float) -> float:
    return ours / theirs if name.endswith("_per_second") else theirs / ours


def trial_settings(slots: int, grid: bool) -> list[Settings]:
    slot_counts = [4, 8, 16] if grid else [slots]
    return [
        Settings(CONTEXT, count, flash, unified)
        for count, flash, unified in itertools.product(slot_counts, ["on", "off"], [True, False])
    ]


class Bench:
    def __init__(self, options: argparse.Namespace, folder: Path):
        self.options = options
        self.folder = folder
        self.logs = itertools.count()

    def measure(self, server_name: str, settings: Settings | None, workload: str, seed: int) -> dict[str, float]:
        log = self.folder / f"{next(self.logs)}-{server_name}.log"
        if server_name == "ours":
            assert settings
            server = start_gateway(self.options.gateway, self.options.model, settings, log)
        else:
            server = start_llama_server(self.options.llama_server, self.options.model, settings, CONTEXT, log)
        with server:
            # One unmeasured request touches the weights.
            asyncio.run(WORKLOADS["alone"](server.port, 9999))
            figures = asyncio.run(WORKLOADS[workload](server.port, seed))
            return figures | {"resident_bytes": server.resident_bytes()}

    def best_peer(self, workload: str, slots: int) -> Settings:
        """The setting whose first figure is best in one trial."""
        trials = []
        for settings in trial_settings(slots, self.options.grid):
            try:
                trials.append((self.measure("tuned", settings, workload, 1), settings))
            except RuntimeError as problem:  # e.g. one pool of cells that is too small for all clients at once
                print(f"{workload:20} llama-server with {settings.label()} fails: {problem}", flush=True)
        first = next(iter(trials[0][0]))
        return max(trials, key=lambda t: better(first, t[0][first], 1.0))[1]

    def compare(self, workload: str) -> None:
        slots = SLOTS.get(workload, 8)
        tuned = self.best_peer(workload, slots)
        runs: dict[str, list[dict[str, float]]] = {"ours": [], "tuned": [], "default": []}
        for round_ in range(self.options.rounds):
            seed = 10 + round_
            order = ["ours", "tuned", "default"]
            for name in order if round_ % 2 == 0 else order[::-1]:
                settings = {"ours": Settings(CONTEXT, slots), "tuned": tuned, "default": None}[name]
                try:
                    runs[name].append(self.measure(name, settings, workload, seed))
                except RuntimeError as problem:
                    if name == "ours":
                        raise
                    print(f"{workload:20} llama-server ({name}) fails: {problem}", flush=True)
        for figure in runs["ours"][0]:
            # A peer that failed in every round has no figure.
            ours, best, default = (
                median([r[figure] for r in runs[n]] or [float("nan")]) for n in ("ours", "tuned", "default")
            )
            print(
                f"{workload:20} {figure:18} {ours:12.5g} {best:12.5g} {default:12.5g}"
                f" {better(figure, ours, best):7.2f} {better(figure, ours, default):7.2f}   {tuned.label()}",
                flush=True,
            )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gateway", type=Path, required=True)
    parser.add_argument("--llama-server", type=Path, required=True)
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", nargs="*", choices=WORKLOADS, default=list(WORKLOADS))
    parser.add_argument("--grid", action="store_true", help="try every setting of the peer")
    options = parser.parse_args()
    print(f"model {options.model.name}, median of {options.rounds} rounds; times in seconds")
    print(f"{'workload':20} {'figure':18} {'ours':>12} {'tuned':>12} {'default':>12} {'/tuned':>7} {'/deflt':>7}")
    with tempfile.TemporaryDirectory(prefix="bench-text-") as folder:
        bench = Bench(options, Path(folder))
        for workload in options.only:
            bench.compare(workload)


if __name__ == "__main__":
    main()
