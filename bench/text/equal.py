#!/usr/bin/env python3
"""Whether greedy answers equal llama.cpp's own: 20 prompts of 64 tokens beside llama-server with one slot and no reuse.

    python3 bench/text/equal.py --gateway … --llama-server … --model FILE

Each prompt is asked of a new server that does not guess tokens, of a new one that does, of one that has answered others,
once more (its beginning is then reused), and with seven others at once. Two answers may part only where two tokens tie
within the noise of the arithmetic: where they part, the reference's gap between both tokens is at most twice the largest
change that the log-probability of any common token shows. With 8-bit activations, which quantised models have on a CPU, one
flipped rounding moves log-probabilities by some tenths; with weights of 32 bits by some ten thousandths
(docs/performance.md).
"""

import argparse
import asyncio
import json
import sys
import tempfile
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from prompts import prose, request
from servers import Server, Settings, start_gateway, start_llama_server

TOKENS = 64

QUESTIONS = [
    "What is the capital of France?",
    "Write a haiku about the sea.",
    "Explain why the sky is blue to a child.",
    "List five animals and where they live.",
    "Write a Python function that reverses a string.",
    "What is 17 times 23? Show your steps.",
    "Translate 'good morning, my friend' into Spanish and German.",
    "Summarise the story of Cinderella in two sentences.",
    "Give me a recipe for pancakes.",
    "What are the differences between TCP and UDP?",
    "Write a short letter of thanks to a teacher.",
    "Name three rivers in Africa and one fact about each.",
    "How does a refrigerator work?",
    "Write a SQL query that counts orders for each customer.",
    "Tell a joke about a computer.",
    "What should I pack for a trip to Iceland in winter?",
    f"Which of these words is the most frequent? {prose(1, 150)}",
    f"Sort these words by length: {prose(2, 60)}",
    f"Continue this list: {prose(3, 300)}",
    "Repeat the alphabet backwards.",
]


@dataclass(frozen=True)
class Token:
    bytes: bytes
    logprob: float
    others: dict[bytes, float]  # the most likely tokens at this place, itself included


async def ask(port: int, question: str, **extra) -> list[Token]:
    body = request(question, tokens=TOKENS, logprobs=True, top_logprobs=20, **extra)
    call = urllib.request.Request(
        f"http://127.0.0.1:{port}/v1/chat/completions", json.dumps(body).encode(), {"Content-Type": "application/json"}
    )
    reply = await asyncio.to_thread(lambda: json.load(urllib.request.urlopen(call, timeout=600)))
    content = reply["choices"][0]["logprobs"]["content"]
    return [
        Token(bytes(t["bytes"]), t["logprob"], {bytes(o["bytes"]): o["logprob"] for o in t["top_logprobs"]})
        for t in content
    ]


@dataclass
class Comparison:
    """Answers to all questions beside the reference's."""

    equal: int = 0
    noise: float = 0.0  # largest change of a log-probability while both say the same
    widest: float = 0.0  # of the gaps where they part
    forks: list[str] = field(default_factory=list)

    def add(self, question: int, reference: list[Token], answer: list[Token]) -> None:
        for place, (a, b) in enumerate(zip(reference, answer)):
            if a.bytes != b.bytes:
                gap = a.logprob - a.others.get(b.bytes, float("-inf"))
                here = b.logprob - b.others.get(a.bytes, float("-inf"))
                self.widest = max(self.widest, gap)
                self.forks.append(
                    f"    question {question + 1}, token {place + 1}: {a.bytes!r} is {gap:.4f} before {b.bytes!r} in the "
                    f"reference, {here:.4f} behind it here"
                )
                return
            self.noise = max(self.noise, abs(a.logprob - b.logprob))
        self.equal += len(reference) == len(answer)


async def compare(reference_port: int, start: Callable[[Settings], Server]) -> dict[str, Comparison]:
    reference = [await ask(reference_port, question, cache_prompt=False) for question in QUESTIONS]
    ways = {name: Comparison() for name in ("without guesses", "new server", "alone", "again", "eight at once")}
    for index, question in enumerate(QUESTIONS):
        for name, settings in (("without guesses", Settings(speculation=False)), ("new server", Settings())):
            server = start(settings)
            ways[name].add(index, reference[index], await ask(server.port, question))
            server.close()
    server = start(Settings())
    for name in ("alone", "again"):
        for index, question in enumerate(QUESTIONS):
            ways[name].add(index, reference[index], await ask(server.port, question))
    for begin in range(0, len(QUESTIONS), 8):
        answers = await asyncio.gather(*(ask(server.port, question) for question in QUESTIONS[begin : begin + 8]))
        for index, answer in enumerate(answers):
            ways["eight at once"].add(begin + index, reference[begin + index], answer)
    server.close()
    return ways


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gateway", type=Path, required=True)
    parser.add_argument("--llama-server", type=Path, required=True)
    parser.add_argument("--model", type=Path, required=True)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="equal-text-") as folder:
        alone = Settings(context=8192, slots=1, extra=("--cache-ram", "0"))
        reference = start_llama_server(options.llama_server, options.model, alone, 8192, False, Path(folder) / "r.log")
        start = lambda settings: start_gateway(options.gateway, options.model, settings, Path(folder) / "o.log")
        try:
            ways = asyncio.run(compare(reference.port, start))
        finally:
            reference.close()
    print(f"{options.model.name}: {len(QUESTIONS)} greedy answers of {TOKENS} tokens beside llama-server alone")
    for name, way in ways.items():
        print(f"  {name:15} {way.equal} equal; log-probabilities of the same tokens differ by at most {way.noise:.4f}")
        print(*way.forks, sep="\n", end="\n" if way.forks else "")
    widest = max(way.widest for way in ways.values())
    noise = max(way.noise for way in ways.values())
    print(f"  widest gap where two answers part: {widest:.4f}; twice the change of common tokens: {2 * noise:.4f}")
    sys.exit(widest > 2 * noise)


if __name__ == "__main__":
    main()
