#!/usr/bin/env python3
"""llm-gateway beside llama-server of the same sources and compiler: ratios, medians over alternating rounds.

    ./dev bench text [--models NAME ...] [--only WORKLOAD ...] [--rounds N] [--json FILE] [--stop-after SECONDS]

With --json every measurement is kept at once, and the same command later measures only what is missing. `tuned` is
llama-server with the setting that was best for the workload in a trial: flash attention on and off, with one pool of
cells and with one for each slot, then the other numbers of slots (4, 8, 16); with --grid all combinations. --settings
FILE remembers the winners for later runs.
"""

import argparse
import asyncio
import contextlib
import dataclasses
import itertools
import json
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

import bandwidth
from client import chat
from model_file import fetch
from prompts import prose, request
from results import Figures, Key, Results, machine, ratio
from servers import Server, Settings, start_gateway, start_llama_server
from table import PEERS, show
from workloads import WORKLOADS, Workload

# As its documentation proposes them; without a draft model.
SPECULATION = [
    ("--spec-type", "ngram-simple", "--spec-draft-n-max", "64"),
    ("--spec-type", "ngram-map-k", "--spec-draft-n-max", "64"),
    ("--spec-type", "ngram-mod", "--spec-ngram-mod-n-match", "24", "--spec-ngram-mod-n-min", "12",
     "--spec-ngram-mod-n-max", "64"),
]


class OutOfTime(Exception):
    pass


class Bench:
    def __init__(self, options: argparse.Namespace, results: Results, model: str, folder: Path):
        self.options = options
        self.results = results
        self.model = model
        self.file = fetch(model, options.model_folder)
        self.folder = folder
        self.logs = itertools.count()
        self.until = time.monotonic() + (options.stop_after or 1e9)

    def start(self, server: str, settings: Settings, workload: Workload) -> Server:
        if time.monotonic() > self.until:
            raise OutOfTime
        log = self.folder / f"{next(self.logs)}-{server}.log"
        if server == "ours":
            started = start_gateway(self.options.gateway, self.file, settings, log)
        else:
            pool = max(workload.clients * workload.request_tokens, workload.context)
            upstream = server.endswith("upstream")
            started = start_llama_server(self.options.llama_server, self.file, settings, pool, upstream, log)
        # Touches the weights and the code.
        asyncio.run(chat(started.port, request(prose(9999, 200), tokens=16)))
        if server == "ours":
            self.results.facts["kernels"] = started.kernels()
        return started

    def measure(self, key: Key, server: Server, workload: Workload, seed: int) -> None:
        if time.monotonic() > self.until:
            raise OutOfTime
        try:
            figures: Figures | None = asyncio.run(workload.run(server, seed))
        except RuntimeError as problem:  # e.g. one pool of cells that is too small for all clients at once
            if key.server == "ours":
                raise
            print(f"{key.text()} fails: {problem}", flush=True)
            figures = None
        self.results.add(key, figures)

    # ---- the peer's settings

    def settings(self, server: str, name: str) -> Settings:
        workload = WORKLOADS[name]
        if server == "ours":
            return Settings(context=workload.context, slots=workload.slots, speculation=workload.speculation)
        if server.startswith("default"):
            return Settings(context=workload.context)
        chosen = self.results.facts.setdefault("settings", {})
        key = f"{self.model} | {name} | {server}"
        known = known_settings(self.options.settings)
        if key not in known:
            known[key] = dataclasses.asdict(self.best(server, name))
            if self.options.settings:
                self.options.settings.write_text(json.dumps(known, indent=1) + "\n")
        best = Settings(**(known[key] | {"extra": tuple(known[key]["extra"])}))
        chosen[key] = best.label()
        self.results.save()
        return best

    def best(self, server: str, name: str) -> Settings:
        workload = WORKLOADS[name]
        one_client = workload.clients == 1 or workload.only_slots
        slot_counts = [workload.slots if workload.only_slots else 4] if one_client else [4, 8, 16]
        first = next((count for count in slot_counts if count >= workload.clients), slot_counts[-1])
        candidates = [self.candidate(workload, first, *each) for each in itertools.product(["on", "off"], [True, False])]
        if self.options.grid:
            every = itertools.product(slot_counts, ["on", "off"], [True, False])
            return self.winner(server, name, [self.candidate(workload, *each) for each in every])
        best = self.winner(server, name, candidates)
        others = [count for count in slot_counts if count != first]
        more = [self.candidate(workload, count, best.flash_attention, best.unified) for count in others]
        return self.winner(server, name, [best, *more])

    @staticmethod
    def candidate(workload: Workload, slots: int, flash_attention: str, unified: bool) -> Settings:
        # One pool for all, or the same number of cells in parts, but each large enough.
        context = workload.context if unified else max(workload.request_tokens, workload.context // slots)
        return Settings(context=context, slots=slots, flash_attention=flash_attention, unified=unified)

    def winner(self, server: str, name: str, candidates: list[Settings]) -> Settings:
        tried: list[tuple[Figures, Settings]] = []
        for settings in candidates:
            key = Key(self.model, name, server, settings.label())
            if not self.results.rounds(key):
                running = self.start(server, settings, WORKLOADS[name])
                try:
                    self.measure(key, running, WORKLOADS[name], seed=1)
                finally:
                    running.close()
            tried += [(figures, settings) for figures in self.results.figures(key)[:1]]
        if not tried:
            raise RuntimeError(f"llama-server fails at {name} with every setting")
        first = next(iter(tried[0][0]))
        return max(tried, key=lambda each: ratio(first, each[0][first], 1.0))[1]

    # ---- rounds

    def compare(self, name: str) -> None:
        workload = WORKLOADS[name]
        servers = ["ours", *self.options.peers]
        settings = {server: self.settings(server, name) for server in servers}
        with contextlib.ExitStack() as running:
            started: dict[str, Server] = {}
            for round_ in range(self.options.rounds):
                for server in servers if round_ % 2 == 0 else servers[::-1]:
                    key = Key(self.model, name, server)
                    if len(self.results.rounds(key)) > round_:
                        continue
                    if server not in started:
                        started[server] = self.start(server, settings[server], workload)
                        running.callback(started[server].close)
                    self.measure(key, started[server], workload, seed=10 + round_)
                    if workload.alone_on_machine:
                        started.pop(server).close()
        if workload.peer_speculation and "tuned" in self.options.peers:
            self.try_speculation(name, settings["tuned"])

    def try_speculation(self, name: str, tuned: Settings) -> None:
        shown = self.results.facts.setdefault("speculation", {}).setdefault(f"{self.model} | {name}", {})
        for arguments in SPECULATION:
            key = Key(self.model, name, "speculation", arguments[1])
            if len(self.results.rounds(key)) < self.options.rounds:
                settings = dataclasses.replace(tuned, extra=arguments)
                server = self.start("speculation", settings, WORKLOADS[name])
                try:
                    for round_ in range(len(self.results.rounds(key)), self.options.rounds):
                        self.measure(key, server, WORKLOADS[name], seed=10 + round_)
                finally:
                    server.close()
            if rounds := self.results.figures(key):
                shown[" ".join(arguments)] = {figure: median(r[figure] for r in rounds) for figure in rounds[0]}
                self.results.save()

    def measure_bandwidth(self) -> None:
        known = self.results.facts.setdefault("bandwidth", {})
        if self.model not in known:
            known[self.model] = bandwidth.limit(self.options.memory_bandwidth, self.file, context=80)
            self.results.save()


def known_settings(file: Path | None) -> dict:
    return json.loads(file.read_text()) if file and file.exists() else {}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gateway", type=Path, required=True)
    parser.add_argument("--llama-server", type=Path, required=True)
    parser.add_argument("--memory-bandwidth", type=Path, required=True)
    parser.add_argument("--model-folder", type=Path, required=True)
    parser.add_argument("--models", nargs="*", default=["smollm2-135m-instruct"], help="names of models/models.json")
    parser.add_argument("--only", nargs="*", choices=WORKLOADS, default=list(WORKLOADS))
    parser.add_argument("--peers", nargs="*", choices=PEERS, default=list(PEERS))
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--grid", action="store_true", help="try every setting of the peer")
    parser.add_argument("--json", type=Path, help="keep the results here, and continue from them")
    parser.add_argument("--settings", type=Path, help="keep the peer's best settings here, and use them")
    parser.add_argument("--stop-after", type=float, help="start no measurement after this many seconds")
    options = parser.parse_args()
    results = Results(options.json)
    results.facts.update(machine())
    complete = True
    for model in options.models:
        with tempfile.TemporaryDirectory(prefix="bench-text-") as folder:
            bench = Bench(options, results, model, Path(folder))
            try:
                bench.measure_bandwidth()
                for workload in options.only:
                    bench.compare(workload)
            except OutOfTime:
                complete = False
        show(results, model)
    if not complete:
        sys.exit("stopped after the given time; the same command continues")


if __name__ == "__main__":
    main()
