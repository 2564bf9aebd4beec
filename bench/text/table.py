"""Prints the results as one table: our medians, and beside each column of the peer the ratio to it."""

from statistics import median

from results import Figures, Key, Results, ratio
from workloads import WORKLOADS

# Column of the peer -> what it is.
PEERS = {
    "tuned": "llama-server, its best setting for the workload, with the kernels that llm-gateway loads",
    "default": "llama-server as it starts, with the kernels that llm-gateway loads",
    "tuned-upstream": "llama-server, its best setting for the workload, with upstream's kernels",
    "default-upstream": "llama-server as it starts, with upstream's kernels",
}


def number(value: float) -> str:
    if abs(value) >= 1e6:
        return f"{value / 1e6:.0f}M"
    return f"{value:.3g}"


def middle(rounds: list[Figures], name: str) -> float:
    return median(r[name] for r in rounds) if rounds else float("nan")


def verdict(results: Results, model: str, workload: str, name: str) -> str:
    """The goal and whether it is met: beside the better of both columns of the same kernels, or absolute."""
    goal = WORKLOADS[workload].goals.get(name)
    if goal is None:
        return ""
    ours = middle(results.figures(Key(model, workload, "ours")), name)
    if isinstance(goal, str):
        return f"goal {goal}: {'yes' if ours <= float(goal[1:]) else 'NO'}"
    theirs = [middle(results.figures(Key(model, workload, peer)), name) for peer in ("tuned", "default")]
    ratios = [ratio(name, ours, value) for value in theirs if value == value]
    if not ratios:
        return f"goal {goal:.2f}"
    return f"goal {goal:.2f}: {'yes' if min(ratios) >= goal else 'NO'}"


def lines(results: Results, model: str) -> list[str]:
    head = f"{'workload':19} {'figure':20} {'ours':>8} {'min..max':>16}"
    out = [head + "".join(f" |{peer.replace('upstream', 'up'):>11} {'ratio':>5} {'min..max':>10}" for peer in PEERS)]
    for workload, description in WORKLOADS.items():
        ours = results.figures(Key(model, workload, "ours"))
        for name in ours[0] if ours else []:
            values = [r[name] for r in ours]
            spread = f"{number(min(values))}..{number(max(values))}"
            row = f"{workload:19} {name:20} {number(median(values)):>8} {spread:>16}"
            for peer in PEERS:
                row += " |" + beside(name, ours, results.figures(Key(model, workload, peer)))
            out.append(f"{row}  {verdict(results, model, workload, name)}".rstrip())
        if ours and description.peer_speculation:
            out += speculation_lines(results, model, workload, ours)
    return out


def beside(name: str, ours: list[Figures], theirs: list[Figures]) -> str:
    """The peer's median, our ratio to it, and the ratio's spread over the rounds."""
    if not theirs:
        return f"{'-':>11} {'':>5} {'':>10}"
    pairs = [ratio(name, a[name], b[name]) for a, b in zip(ours, theirs)]
    spread = f"{min(pairs):.2f}..{max(pairs):.2f}"
    typical = ratio(name, middle(ours, name), middle(theirs, name))
    return f"{number(middle(theirs, name)):>11} {typical:5.2f} {spread:>10}"


def speculation_lines(results: Results, model: str, workload: str, ours: list[Figures]) -> list[str]:
    """The peer with its own speculation, which is not one of the settings that `tuned` chooses from."""
    rows = []
    for label, theirs in sorted(results.facts.get("speculation", {}).get(f"{model} | {workload}", {}).items()):
        for name in ours[0]:
            value = ratio(name, middle(ours, name), theirs[name])
            rows.append(f"{workload:19} {name:20} llama-server with {label}: {number(theirs[name])}, ratio {value:.2f}")
    return rows


def show(results: Results, model: str) -> None:
    facts = results.facts
    print(f"\nmodel {model}; medians over rounds, ratio above 1: llm-gateway is better; times in seconds")
    print("; ".join(f"{name} {facts[name]}" for name in ("date", "machine", "cores", "kernels", "commit") if name in facts))
    for peer, meaning in PEERS.items():
        print(f"  {peer}: {meaning}")
    print(*lines(results, model), sep="\n")
    chosen = [(name.split(" | ")[1:], label) for name, label in facts.get("settings", {}).items() if name.startswith(model)]
    for (workload, server), label in sorted(chosen):
        print(f"  best setting of {server} for {workload}: {label}")
    show_bandwidth(results, model)


def show_bandwidth(results: Results, model: str) -> None:
    limit = results.facts.get("bandwidth", {}).get(model)
    if not limit:
        return
    print(
        f"  memory reads {limit['bytes_per_second'] / 1e9:.1f} GB/s with {limit['threads']} threads; a token reads "
        f"{limit['bytes_per_token'] / 1e6:.0f} MB: at most {limit['tokens_per_second']:.1f} tokens/s"
    )
    for server in ["ours", *PEERS]:
        if rounds := results.figures(Key(model, "decode", server)):
            speed = middle(rounds, "tokens_per_second")
            goal = " (goal 0.8)" if server == "ours" and "1.5b" in model else ""
            print(f"    decode, {server}: {speed:.1f} tokens/s, {speed / limit['tokens_per_second']:.2f} of the limit{goal}")
