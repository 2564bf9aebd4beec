"""The real text worker under competition: what a client that leaves, and one that stays, notice."""

import time

import psutil

from conftest import CHAT, TOOLS
from support.gateway import Gateway, wait_until
from support.wire import Connection

CHAT_PATH = "/v1/chat/completions"
WORDS = "river stone market window teacher garden engine letter morning bridge silver forest captain number".split()


def chat(model: str, words: int, seed: int, tokens: int) -> dict:
    """`words` words in an order of their own, so that nothing of it was read before."""
    text = " ".join(WORDS[(seed * 31 + i * i + i // 7) % len(WORDS)] for i in range(words))
    return {
        "model": model,
        "messages": [{"role": "user", "content": f"{seed}: {text}. What does this mean?"}],
        "max_tokens": tokens,
        "temperature": 0,
    }


def evaluated(gateway: Gateway, model: str) -> float:
    return gateway.metric("worker_prompt_tokens_evaluated_total", model=model)


def slots_busy(gateway: Gateway, model: str) -> float:
    return gateway.metric("worker_slots_busy", model=model)


def test_16_a_client_that_leaves_while_its_prompt_is_read_frees_the_slot(gateway: Gateway):
    """Far more prompt than is read before the client leaves: the rest is never read."""
    for streamed in (True, False):
        before = evaluated(gateway, TOOLS)
        connection = Connection(gateway.port)
        connection.send("POST", CHAT_PATH, chat(TOOLS, 6000, int(streamed) + 1, 4) | {"stream": streamed})
        wait_until(lambda: slots_busy(gateway, TOOLS) == 1, "the prompt is being read")
        connection.close()
        wait_until(lambda: slots_busy(gateway, TOOLS) == 0, "its slot is free")
        assert evaluated(gateway, TOOLS) - before < 6000


def test_a_neighbour_that_leaves_ends_no_answer(gateway: Gateway):
    """An answer beside a long prompt that comes and goes is whole. (That it is the same as alone: test_same_answers.py.)"""
    question = chat(TOOLS, 20, 77, 60) | {"ignore_eos": True, "stream_options": {"include_usage": True}}
    for seed in (5, 6):
        neighbour = Connection(gateway.port)
        neighbour.send("POST", CHAT_PATH, chat(TOOLS, 4000, seed, 4) | {"stream": True})
        wait_until(lambda: slots_busy(gateway, TOOLS) == 1, "the neighbour's prompt is being read")
        with Connection(gateway.port) as connection:
            connection.send("POST", CHAT_PATH, question | {"stream": True})
            assert connection.read_head() == 200
            chunks = []
            for event in connection.events():
                if event.data and event.data != "[DONE]":
                    chunks.append(event.json())
                if len(chunks) == 20:
                    neighbour.close()
        assert [c["finish_reason"] for chunk in chunks for c in chunk["choices"] if c["finish_reason"]] == ["length"]
        assert chunks[-1]["usage"]["completion_tokens"] == 60
        wait_until(lambda: slots_busy(gateway, TOOLS) == 0, "the slots are free")


def test_idle_workers_use_no_processor(gateway: Gateway):
    """Processor time, not wall time: health questions cost a little, waiting threads nothing."""
    wait_until(lambda: slots_busy(gateway, CHAT) == 0 and slots_busy(gateway, TOOLS) == 0, "nothing runs")
    workers = list(gateway.workers().values())
    assert workers

    def used(worker: psutil.Process) -> float:
        times = worker.cpu_times()
        return times.user + times.system

    before = [used(worker) for worker in workers]
    time.sleep(2)
    for worker, start in zip(workers, before):
        assert used(worker) - start <= 0.1, worker.cmdline()
