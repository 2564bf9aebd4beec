"""What a text worker keeps between requests is bounded: 200 prompts, alternating, that each leave something behind."""

import json

import psutil
import pytest
import requests

from conftest import CHAT
from support.gateway import Gateway, wait_until
from support.memory_group import MemoryGroup

MEBIBYTE = 1 << 20
LIMIT = 4096 * MEBIBYTE
KEPT = 16  # MiB of evaluated prompts
CONTEXT = 512
WORDS = "river stone market window teacher garden engine letter morning bridge silver forest captain number".split()


@pytest.fixture
def limited(program, chat_model, logs, tmp_path):
    """Its context holds three of the prompts below, its memory for evaluated prompts a few more."""
    model = {"name": CHAT, "kind": "text", "path": str(chat_model), "context": CONTEXT, "prefix_cache_memory": KEPT}
    configuration = tmp_path / "gateway.yaml"
    configuration.write_text(json.dumps({"models": [model]}))
    group = MemoryGroup.make(LIMIT)
    running = Gateway(program, ["--config", str(configuration)], logs / "memory-bounds.log")
    try:
        running.start(wait=None)
        if group is not None:
            group.take(running.process.pid)
        running.wait_for("/health/ready")
        yield running, group
    finally:
        running.stop()
        if group is not None:
            group.remove()


def prompt(number: int) -> dict:
    """Two kinds by turns: plain talk, and one with a schema and a tool of its own. No two begin alike."""
    words = " ".join(WORDS[(number * 31 + i * i + i // 7) % len(WORDS)] for i in range(90))
    body = {"model": CHAT, "messages": [{"role": "user", "content": f"{number}: {words}. What is this?"}]}
    body |= {"max_tokens": 4, "temperature": 0}
    if number % 2:
        schema = {"type": "object", "properties": {f"answer_{number}": {"type": "string", "maxLength": 30 + number}},
                  "required": [f"answer_{number}"], "additionalProperties": False}
        body["response_format"] = {"type": "json_schema", "json_schema": {"name": "answer", "schema": schema}}
    if number % 4 == 3:
        body["tools"] = [{"type": "function", "function": {"name": f"tool_{number}", "parameters": {"type": "object"}}}]
    return body


def anonymous(worker: psutil.Process) -> int:
    fields = dict(line.split(":", 1) for line in open(f"/proc/{worker.pid}/status") if ":" in line)
    return int(fields["RssAnon"].split()[0]) << 10 if "RssAnon" in fields else worker.memory_info().rss


def bounded(gateway: Gateway) -> dict[str, tuple[float, float]]:
    """What each cache holds, and its bound."""
    caches = {
        cache: (gateway.metric("worker_cache_bytes", cache=cache), gateway.metric("worker_cache_limit_bytes", cache=cache))
        for cache in ("chat_format", "schema", "grammar")
    }
    caches["prompts"] = tuple(gateway.metric(f"worker_prefix_cache_{what}", tier="memory") for what in ("bytes", "limit_bytes"))
    caches["cells"] = (gateway.metric("worker_kv_cells_used"), gateway.metric("worker_kv_cells"))
    return caches


def test_29_two_hundred_alternating_prompts_stay_within_every_bound(limited):
    gateway, group = limited
    worker = gateway.workers()[CHAT]
    seen = []
    for number in range(1, 201):
        reply = requests.post(f"{gateway.url}/v1/chat/completions", json=prompt(number), timeout=120)
        assert reply.ok, reply.text
        if number % 40 == 0:
            wait_until(lambda: gateway.metric("worker_jobs_total") == number, "the prompts in the metrics")
            caches = bounded(gateway)
            assert all(0 < held <= bound for held, bound in caches.values()), caches
            shown = sum(held for name, (held, _) in caches.items() if name != "cells")
            seen.append(anonymous(worker) - shown)
    assert gateway.workers()[CHAT].pid == worker.pid
    assert gateway.metric("worker_kv_tokens_evicted_total") > 100 * CONTEXT / 4, "prompts had to leave the cells"
    held, bound = caches["prompts"]
    assert bound == KEPT * MEBIBYTE and held > bound / 2, "some of them were kept"
    # Whatever grows is in a cache that the metrics show.
    assert seen[-1] < seen[0] + 24 * MEBIBYTE, seen
    assert gateway.metric("worker_resident_memory_bytes", kind="anonymous") < LIMIT
    if group is not None:
        assert group.peak_bytes() < LIMIT
