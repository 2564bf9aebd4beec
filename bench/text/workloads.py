"""The workloads. Each takes a port and returns figures by name; smaller is better unless the name ends in `_per_second`."""

import asyncio
import random
import time
from statistics import median

from client import Answer, chat

WORDS = (
    "river stone market window teacher garden engine letter morning bridge silver forest captain number music winter "
    "village answer science paper island history summer machine doctor question color mountain simple kitchen travel"
).split()


def prose(seed: int, words: int) -> str:
    """Deterministic text of about 1.1 tokens a word."""
    generator = random.Random(seed)
    return " ".join(generator.choice(WORDS) for _ in range(words))


def request(user: str, system: str | None = None, tokens: int = 96, **extra) -> dict:
    messages = ([{"role": "system", "content": system}] if system else []) + [{"role": "user", "content": user}]
    return {"model": "bench", "messages": messages, "max_tokens": tokens, "temperature": 0, "ignore_eos": True} | extra


async def together(port: int, bodies: list[dict]) -> tuple[list[Answer], float]:
    started = time.perf_counter()
    answers = await asyncio.gather(*(chat(port, body) for body in bodies))
    return answers, time.perf_counter() - started


async def alone(port: int, seed: int) -> dict[str, float]:
    answer = await chat(port, request(prose(seed, 200), tokens=128))
    return {"ttft": answer.time_to_first_token, "time_per_token": answer.time_per_output_token}


def distinct(clients: int):
    async def run(port: int, seed: int) -> dict[str, float]:
        answers, wall = await together(
            port, [request(prose(seed * 100 + i, 200), tokens=96) for i in range(clients)]
        )
        return {"tokens_per_second": sum(a.completion_tokens for a in answers) / wall}

    return run


def shared_system(clients: int, words: int):
    async def run(port: int, seed: int) -> dict[str, float]:
        system = prose(seed, words)
        answers, wall = await together(
            port, [request(f"Question {i}: {prose(seed + i, 12)}?", system, tokens=32) for i in range(clients)]
        )
        return {
            "wall": wall,
            "last_ttft": max(a.time_to_first_token for a in answers),
            "evaluated_tokens": sum(a.evaluated_prompt_tokens for a in answers),
        }

    return run


async def long_prompt_arrives(port: int, seed: int) -> dict[str, float]:
    """Two streams run; a 4k-token prompt arrives. Gaps of the streams, and the long prompt's time to first token."""
    streams = [asyncio.create_task(chat(port, request(prose(seed + i, 60), tokens=700))) for i in range(2)]
    await asyncio.sleep(1.5)
    arrived = time.perf_counter()
    long = await chat(port, request(prose(seed + 50, 3500), tokens=4))
    answers = await asyncio.gather(*streams)
    ended = long.arrivals[0]
    during = [
        b - a for s in answers for a, b in zip(s.arrivals, s.arrivals[1:]) if b >= arrived and a <= ended
    ]
    before = [b - a for s in answers for a, b in zip(s.arrivals, s.arrivals[1:]) if b < arrived]
    return {"longest_gap": max(during), "gap_before": median(before), "long_ttft": long.time_to_first_token}


def conversations(count: int, turns: int = 4):
    async def run(port: int, seed: int) -> dict[str, float]:
        """Conversations take turns, one request at a time; the mean time to first token of all turns but the first."""
        histories = [[{"role": "system", "content": prose(seed + i, 150)}] for i in range(count)]
        later: list[float] = []
        for turn in range(turns):
            for i, history in enumerate(histories):
                history.append({"role": "user", "content": prose(seed * 7 + i * 31 + turn, 60)})
                answer = await chat(port, request("", tokens=24) | {"messages": history})
                history.append({"role": "assistant", "content": answer.text})
                if turn:
                    later.append(answer.time_to_first_token)
        return {"later_ttft": sum(later) / len(later)}

    return run


CODE = "\n".join(
    f"def compute_{name}(values, factor):\n    total = 0\n    for value in values:\n        total += value * factor\n"
    f"    print('{name}', total)\n    return total\n"
    for name in WORDS[:8]
)


async def code_rewrite(port: int, seed: int) -> dict[str, float]:
    user = f"Repeat this Python file exactly, but rename the parameter factor to scale_{seed}:\n\n{CODE}"
    answer = await chat(port, request(user, tokens=400))
    return {"time_per_token": answer.time_per_output_token}


SCHEMA = {
    "type": "object",
    "properties": {
        "title": {"type": "string", "maxLength": 40},
        "year": {"type": "integer"},
        "tags": {"type": "array", "items": {"type": "string", "maxLength": 20}, "minItems": 3, "maxItems": 6},
        "author": {
            "type": "object",
            "properties": {"name": {"type": "string", "maxLength": 30}, "country": {"enum": ["FR", "DE", "UK", "US"]}},
            "required": ["name", "country"],
            "additionalProperties": False,
        },
    },
    "required": ["title", "year", "tags", "author"],
    "additionalProperties": False,
}


async def json_schema(port: int, seed: int) -> dict[str, float]:
    format_ = {"type": "json_schema", "json_schema": {"name": "book", "strict": True, "schema": SCHEMA}}
    body = request(f"Describe an invented book about {WORDS[seed % len(WORDS)]}.", tokens=200, response_format=format_)
    del body["ignore_eos"]
    answer = await chat(port, body)
    return {"time_per_token": answer.time_per_output_token}


WORKLOADS = {
    "alone": alone,
    "distinct-4": distinct(4),
    "distinct-8": distinct(8),
    "distinct-16": distinct(16),
    "shared-1.5k-8": shared_system(8, 1350),
    "shared-4k-8": shared_system(8, 3500),
    "long-prompt-arrives": long_prompt_arrives,
    "conversations-6": conversations(6),
    "conversations-24": conversations(24),
    "code-rewrite": code_rewrite,
    "json-schema": json_schema,
}

SLOTS = {"conversations-6": 4, "conversations-24": 4, "alone": 4, "distinct-16": 16}
