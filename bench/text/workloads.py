"""The workloads: what is sent to a server, and which figures are taken of its answers.

Smaller figures are better unless the name ends in `_per_second`. Times are seconds.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from statistics import median

from client import Answer, chat, send
from prompts import CODE, SCHEMA, WORDS, prose, request
from servers import Server

Figures = dict[str, float]


@dataclass(frozen=True)
class Workload:
    run: Callable[[Server, int], Awaitable[Figures]]
    clients: int = 1
    slots: int = 8  # of llm-gateway
    request_tokens: int = 1024  # most that one request needs of the context
    context: int = 8192  # of llm-gateway; llama-server gets this or, for its pool, what all clients at once need
    only_slots: bool = False  # the peer has the same number of slots
    alone_on_machine: bool = False  # no other server may run beside it
    speculation: bool = True  # of llm-gateway
    peer_speculation: bool = False  # the peer is also shown with its n-gram speculation
    # Figure -> goal. A ratio to the better column of llama-server is at least the goal; with "<" it is our own figure,
    # at most the goal.
    goals: dict[str, float | str] = field(default_factory=dict)


async def together(server: Server, bodies: list[dict]) -> tuple[list[Answer], float]:
    started = time.perf_counter()
    answers = await asyncio.gather(*(chat(server.port, body) for body in bodies))
    return answers, time.perf_counter() - started


async def alone(server: Server, seed: int) -> Figures:
    answer = await chat(server.port, request(prose(seed, 200), tokens=128))
    return {"ttft": answer.time_to_first_token, "time_per_token": answer.time_per_output_token}


async def decode(server: Server, seed: int) -> Figures:
    """One stream at little context: what is compared with the memory's bandwidth."""
    answer = await chat(server.port, request(prose(seed, 12), tokens=96))
    return {"tokens_per_second": 1 / answer.time_per_output_token}


def distinct(clients: int):
    async def run(server: Server, seed: int) -> Figures:
        answers, wall = await together(
            server, [request(prose(seed * 100 + i, 200), tokens=96) for i in range(clients)]
        )
        return {
            "tokens_per_second": sum(a.completion_tokens for a in answers) / wall,
            "time_per_token": median(a.time_per_output_token for a in answers),
            "last_ttft": max(a.time_to_first_token for a in answers),
        }

    return run


def short_chats(clients: int):
    async def run(server: Server, seed: int) -> Figures:
        """A short chat alone, then several at once: what those have to wait that do not share anything."""
        bodies = [request(prose(seed * 100 + i, 25), tokens=48) for i in range(clients + 1)]
        _, alone = await together(server, bodies[:1])
        _, wall = await together(server, bodies[1:])
        return {"alone": alone, "together": wall, "together_to_alone": wall / alone}

    return run


def shared_system(clients: int, words: int):
    async def run(server: Server, seed: int) -> Figures:
        """All at once, new to the server. The ideal: the common part once, and each one's tail."""
        system = prose(seed, words)
        answers, wall = await together(
            server, [request(f"Question {i}: {prose(seed + i, 12)}?", system, tokens=32) for i in range(clients)]
        )
        common = (await chat(server.port, request("Question", system, tokens=1))).prompt_tokens
        evaluated = sum(a.evaluated_prompt_tokens for a in answers)
        return {
            "wall": wall,
            "last_ttft": max(a.time_to_first_token for a in answers),
            "evaluated_tokens": evaluated,
            "evaluated_to_ideal": evaluated / (common + sum(a.prompt_tokens - common for a in answers)),
        }

    return run


async def long_prompt_arrives(server: Server, seed: int) -> Figures:
    """Two streams run; a 4k-token prompt arrives. Gaps between the streams' tokens, before and during."""
    streams = [asyncio.create_task(chat(server.port, request(prose(seed + i, 60), tokens=2000))) for i in range(2)]
    await asyncio.sleep(1.5)
    arrived = time.perf_counter()
    long = await chat(server.port, request(prose(seed + 50, 3500), tokens=4))
    answers = await asyncio.gather(*streams)
    ended = long.arrivals[0]
    pairs = [pair for s in answers for pair in zip(s.arrivals, s.arrivals[1:])]
    during = sorted(b - a for a, b in pairs if b >= arrived and a <= ended)
    before = median(b - a for a, b in pairs if b < arrived)
    return {
        "longest_gap": during[-1],
        "p95_gap": during[int(0.95 * (len(during) - 1))],
        "gap_alone": before,
        "longest_gap_to_alone": during[-1] / before,
        "long_ttft": long.time_to_first_token,
    }


def conversations(count: int, turns: int = 3):
    async def run(server: Server, seed: int) -> Figures:
        """Conversations take turns, one request at a time; the mean time to first token of all turns but the first."""
        histories = [[{"role": "system", "content": prose(seed * 1000 + i, 200)}] for i in range(count)]
        later: list[float] = []
        for turn in range(turns):
            for i, history in enumerate(histories):
                history.append({"role": "user", "content": prose(seed * 7000 + i * 31 + turn, 60)})
                answer = await chat(server.port, request("", tokens=16) | {"messages": history})
                history.append({"role": "assistant", "content": answer.text})
                if turn:
                    later.append(answer.time_to_first_token)
        return {"later_ttft": sum(later) / len(later)}

    return run


async def code_rewrite(server: Server, seed: int) -> Figures:
    user = f"Repeat this Python file exactly, but rename the parameter factor to scale_{seed}:\n\n{CODE}"
    answer = await chat(server.port, request(user, tokens=400))
    return {"time_per_token": answer.time_per_output_token}


async def json_schema(server: Server, seed: int) -> Figures:
    format_ = {"type": "json_schema", "json_schema": {"name": "book", "strict": True, "schema": SCHEMA}}
    body = request(f"Describe an invented book about {WORDS[seed % len(WORDS)]}.", tokens=200, response_format=format_)
    del body["ignore_eos"]
    answer = await chat(server.port, body)
    return {"time_per_token": answer.time_per_output_token, "ttft": answer.time_to_first_token}


async def cancel(server: Server, seed: int) -> Figures:
    """The client of an 8k-token prompt leaves in the middle: seconds until the server's threads rest."""
    _, writer = await send(server.port, request(prose(seed, 6800), tokens=8))
    await asyncio.sleep(1.5)
    writer.transport.abort()
    left = time.perf_counter()
    window = 0.02
    busy_until = left
    used = server.cpu_seconds()
    while time.perf_counter() < busy_until + 0.5:
        await asyncio.sleep(window)
        now = server.cpu_seconds()
        if now - used > 0.25 * window:
            busy_until = time.perf_counter()
        used = now
    return {"idle_after": busy_until - left}


async def memory(server: Server, seed: int) -> Figures:
    """Proportional resident memory after four requests at once and one long one."""
    await together(server, [request(prose(seed * 10 + i, 400), tokens=32) for i in range(4)])
    await chat(server.port, request(prose(seed, 3500), tokens=4))
    return {"resident_bytes": server.resident_bytes()}


WORKLOADS = {
    "alone": Workload(alone, goals={"ttft": 0.98, "time_per_token": 0.98}),
    "decode": Workload(decode, speculation=False),
    "distinct-4": Workload(distinct(4), clients=4),
    "distinct-8": Workload(distinct(8), clients=8, goals={"tokens_per_second": 1.2}),
    "distinct-16": Workload(distinct(16), clients=16, slots=16, goals={"tokens_per_second": 1.2}),
    "short-chats-4": Workload(short_chats(4), clients=4, goals={"together_to_alone": "<2.5"}),
    "shared-1.5k-8": Workload(
        shared_system(8, 1350), clients=8, request_tokens=2048, goals={"wall": 4.0, "evaluated_to_ideal": "<1.05"}
    ),
    "shared-4k-8": Workload(shared_system(8, 3500), clients=8, request_tokens=5120),
    "shared-1k-16": Workload(shared_system(16, 900), clients=16, slots=16, request_tokens=2048),
    "long-prompt-arrives": Workload(
        long_prompt_arrives, clients=3, request_tokens=5120, goals={"longest_gap_to_alone": "<3", "long_ttft": 1 / 1.3}
    ),
    "conversations-6": Workload(conversations(6), slots=4, only_slots=True, goals={"later_ttft": 1.0}),
    "conversations-24": Workload(conversations(24), slots=4, only_slots=True, goals={"later_ttft": 1.5}),
    "code-rewrite": Workload(code_rewrite, request_tokens=2048, peer_speculation=True, goals={"time_per_token": 1.8}),
    "json-schema": Workload(json_schema, goals={"time_per_token": 1.3}),
    "cancel": Workload(cancel, request_tokens=8192, goals={"idle_after": "<0.3"}),
    "memory": Workload(
        memory, slots=4, request_tokens=8192, only_slots=True, alone_on_machine=True, goals={"resident_bytes": 1 / 1.05}
    ),
}
