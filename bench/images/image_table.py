"""Prints the results as one table: our medians, and beside each build of sd-server the ratio to it."""

from statistics import median

from drawings import WORKLOADS
from painters import PEERS
from results import Key, Results, ratio
from table import beside, middle, number


def verdict(results: Results, workload: str, name: str) -> str:
    """The goal and whether it is met: beside `readme`, or absolute."""
    goal = WORKLOADS[workload].goals.get(name)
    if goal is None:
        return ""
    ours = middle(results.figures(Key("", workload, "ours")), name)
    if isinstance(goal, str):
        return f"goal {goal}: {'yes' if ours <= float(goal[1:]) else 'NO'}"
    theirs = results.figures(Key("", workload, "readme"))
    if not theirs:
        return f"goal {goal:.2f}"
    return f"goal {goal:.2f}: {'yes' if ratio(name, ours, middle(theirs, name)) >= goal else 'NO'}"


def lines(results: Results) -> list[str]:
    measured = [peer for peer in PEERS if any(results.figures(Key("", name, peer)) for name in WORKLOADS)]
    head = f"{'workload':12} {'figure':17} {'ours':>8} {'min..max':>16}"
    out = [head + "".join(f" |{peer:>11} {'ratio':>5} {'min..max':>10}" for peer in measured)]
    for workload in WORKLOADS:
        ours = results.figures(Key("", workload, "ours"))
        for name in ours[0] if ours else []:
            values = [figures[name] for figures in ours]
            spread = f"{number(min(values))}..{number(max(values))}"
            row = f"{workload:12} {name:17} {number(median(values)):>8} {spread:>16}"
            for peer in measured:
                row += " |" + beside(name, ours, results.figures(Key("", workload, peer)))
            out.append(f"{row}  {verdict(results, workload, name)}".rstrip())
    return out


def show(results: Results) -> None:
    facts = results.facts
    print("\nmedians over rounds, ratio above 1: llm-gateway is better; times in seconds")
    shown = ("date", "machine", "cores", "kernels", "commit")
    print("; ".join(f"{name} {facts[name]}" for name in shown if name in facts))
    for name, peer in PEERS.items():
        print(f"  {name}: {peer.meaning}")
    for name, workload in WORKLOADS.items():
        if results.figures(Key("", name, "ours")):
            print(f"  {name}: {workload.meaning}")
    print(*lines(results), sep="\n")
