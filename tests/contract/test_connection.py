"""What is around a request: keep-alive, headers, CORS, request ids, clients that leave."""

import json
import time

import pytest
import requests

from conftest import CHAT
from support.gateway import wait_until
from support.wire import Connection, stream
from support.worker import Worker

PROMPT = [{"role": "user", "content": "Tell me a long story about a river."}]


def test_07_headers_of_a_stream(gateway):
    _, headers = stream(gateway.port, {"model": CHAT, "messages": PROMPT, "max_tokens": 2})
    assert headers["content-type"].startswith("text/event-stream")
    assert headers["cache-control"] == "no-cache"
    assert headers["x-accel-buffering"] == "no"


def test_07_events_leave_one_by_one(gateway):
    with Connection(gateway.port) as connection:
        connection.send("POST", "/v1/chat/completions", {"model": CHAT, "messages": PROMPT, "max_tokens": 40, "stream": True})
        connection.read_head()
        arrivals = [event.arrived for event in connection.events() if event.data]
    # Tokens take milliseconds each; a buffered stream would arrive within one.
    assert arrivals[-1] - arrivals[1] > 0.02
    assert len(set(arrivals)) > 10


def test_a_connection_is_kept_after_a_stream(gateway):
    with Connection(gateway.port) as connection:
        for _ in range(2):
            connection.send("POST", "/v1/chat/completions", {"model": CHAT, "messages": PROMPT, "max_tokens": 3, "stream": True})
            assert connection.read_head() == 200
            assert [event.data for event in connection.events() if event.data][-1] == "[DONE]"
        assert json.loads(connection.ask("GET", "/v1/models"))["object"] == "list"


def test_a_connection_is_kept_after_a_refusal(gateway):
    with Connection(gateway.port) as connection:
        connection.ask("POST", "/v1/chat/completions", b"{")
        assert connection.status == 400
        connection.ask("GET", "/health/live")
        assert connection.status == 200


def test_every_answer_has_a_request_id(gateway):
    with Connection(gateway.port) as connection:
        seen = set()
        for path in ("/v1/models", "/v1/nothing", "/health/live", "/v1/models"):
            connection.ask("GET", path)
            seen.add(connection.headers["x-request-id"])
        assert len(seen) == 4
        connection.ask("GET", "/v1/models", headers={"X-Request-Id": "from-the-proxy-17"})
        assert connection.headers["x-request-id"] == "from-the-proxy-17"
    wait_until(lambda: "from-the-proxy-17" in gateway.log_text(), "the log line of the request has its id")


@pytest.fixture
def chat_worker(gateway):
    with Worker(gateway.workers()[CHAT]) as worker:
        wait_until(lambda: worker.statistics().running_jobs == 0, "the worker is idle")
        yield worker


def seconds_until_idle(gateway, worker: Worker, body: dict) -> float:
    """Sends a request, leaves as soon as it runs, and waits until the worker has nothing to do."""
    connection = Connection(gateway.port)
    connection.send("POST", "/v1/chat/completions", body)
    wait_until(lambda: worker.statistics().running_jobs == 1, "the job runs", interval=0.002)
    connection.close()
    left = time.monotonic()
    wait_until(lambda: worker.statistics().running_jobs == 0, "the worker is idle again", interval=0.005)
    return time.monotonic() - left


@pytest.mark.parametrize("streamed", [False, True])
def test_16_a_client_that_leaves_while_text_is_generated(gateway, chat_worker, streamed):
    """Within 500 ms; the best of three tries counts, since the machine may be busy with something else."""
    body = {"model": CHAT, "messages": PROMPT, "max_tokens": 4000, "stream": streamed, "ignore_eos": True}
    assert min(seconds_until_idle(gateway, chat_worker, body) for _ in range(3)) < 0.5
    assert chat_worker.statistics().cancelled_jobs >= 3


@pytest.mark.parametrize("streamed", [False, True])
def test_16_a_client_that_leaves_while_its_prompt_is_evaluated(gateway, chat_worker, streamed):
    def body(number: int) -> dict:
        new_prompt = f"{streamed} {number} " + "the river runs on " * 1200
        return {"model": CHAT, "messages": [{"role": "user", "content": new_prompt}], "max_tokens": 4, "stream": streamed}

    assert min(seconds_until_idle(gateway, chat_worker, body(number)) for number in range(3)) < 0.5


def test_19_small_pages_answer_while_chats_run(gateway):
    connections = [Connection(gateway.port) for _ in range(4)]
    try:
        for connection in connections:
            connection.send("POST", "/v1/chat/completions",
                            {"model": CHAT, "messages": PROMPT, "max_tokens": 400, "stream": True, "ignore_eos": True})
        for connection in connections:
            assert connection.read_head() == 200
        times = []
        for _ in range(10):
            for path in ("/health/live", "/health/ready", "/v1/models", "/metrics"):
                start = time.monotonic()
                assert requests.get(gateway.url + path, timeout=30).status_code == 200
                times.append(time.monotonic() - start)
        times.sort()
        assert times[len(times) // 2] < 0.1, times
    finally:
        for connection in connections:
            connection.close()
