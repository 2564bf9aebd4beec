#!/usr/bin/env python3
"""Our kernels beside upstream's and beside what the machine can do, for shapes of real models.

    ./dev bench kernels [--only attention convolutions products unfolding] [--rounds N] [--threads N] [--json FILE]

Both run from the same library, ours switched off by the environment for upstream's, in alternating rounds; medians. The
limit is the time that the arithmetic or the memory would take at the rates measured in the same run. The error is the
largest, relative to the root mean square of the result in double precision.
"""

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path
from statistics import median

sys.path.insert(1, str(Path(__file__).resolve().parents[1] / "text"))

from results import machine  # noqa: E402
from servers import UPSTREAM_KERNELS  # noqa: E402

GROUPS = ["attention", "convolutions", "products", "unfolding"]


def lines(programs: Path, threads: int, groups: list[str], environment: dict[str, str]) -> list[dict]:
    command = [str(programs / "kernel-cost"), str(threads), *groups]
    output = subprocess.run(
        command, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=os.environ | environment
    ).stdout
    return [json.loads(line) for line in output.splitlines()]


def limits(programs: Path, threads: int) -> dict[str, float]:
    def said(program: str) -> str:
        return subprocess.run([programs / program, str(threads)], check=True, capture_output=True, text=True).stdout

    return json.loads(said("compute-rate")) | {"memory": float(said("memory-bandwidth"))}


def least_seconds(line: dict, rates: dict[str, float]) -> float:
    arithmetic = line["operations"] / rates[line["arithmetic"]] if line["operations"] else 0
    return max(arithmetic, line["bytes"] / rates["memory"])


def summary(ours: list[list[dict]], upstream: list[list[dict]], rates: dict[str, float]) -> list[dict]:
    rows = []
    for shape, line in enumerate(ours[0]):
        seconds = [[round_[shape]["seconds"] for round_ in rounds] for rounds in (ours, upstream)]
        mine, theirs = (median(each) for each in seconds)
        rows.append({
            "kernel": line["kernel"], "shape": line["shape"], "seconds": mine, "upstream_seconds": theirs,
            "ratio": theirs / mine, "limit_seconds": least_seconds(line, rates),
            "share_of_limit": least_seconds(line, rates) / mine,
            "error": line["error"], "upstream_error": upstream[0][shape]["error"],
            "rounds": seconds[0], "upstream_rounds": seconds[1],
        })
    return rows


def show(facts: dict, rates: dict[str, float], rows: list[dict]) -> None:
    print("; ".join(f"{name} {value}" for name, value in facts.items()))
    print(f"single precision {rates['float'] / 1e9:.0f} GFLOP/s, 8-bit integers {rates['int8'] / 1e9:.0f} Gop/s, "
          f"memory {rates['memory'] / 1e9:.1f} GB/s; microseconds")
    head = f"{'kernel':11} {'shape':36} {'ours':>10} {'upstream':>10} {'ratio':>6} {'of limit':>8}"
    print(f"{head} {'error':>9} {'upstream':>9}")
    for row in rows:
        print(f"{row['kernel']:11} {row['shape']:36} {1e6 * row['seconds']:10.1f} {1e6 * row['upstream_seconds']:10.1f} "
              f"{row['ratio']:6.2f} {row['share_of_limit']:8.2f} {row['error']:9.1e} {row['upstream_error']:9.1e}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", type=Path, required=True, help="the folder of the built programs")
    parser.add_argument("--only", nargs="*", choices=GROUPS, default=GROUPS)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    rates = limits(options.programs, options.threads)
    rounds: dict[str, list] = {"ours": [], "upstream": []}
    for round_ in range(options.rounds):
        for side in list(rounds) if round_ % 2 == 0 else list(rounds)[::-1]:
            environment = UPSTREAM_KERNELS if side == "upstream" else {}
            rounds[side].append(lines(options.programs, options.threads, options.only, environment))
    facts = machine() | {"threads": options.threads}
    rows = summary(rounds["ours"], rounds["upstream"], rates)
    show(facts, rates, rows)
    if options.json:
        options.json.write_text(json.dumps({"facts": facts, "rates": rates, "shapes": rows}, indent=1) + "\n")


if __name__ == "__main__":
    main()
