"""Many clients at once, bounded in number and time. Counts are exact; times are medians with room for a busy machine."""

import time
from concurrent.futures import ThreadPoolExecutor

import psutil
import requests

from support.gateway import wait_until
from support.wire import Connection

CHAT_PATH = "/v1/chat/completions"


def one_chat(gateway, body: dict) -> tuple[int, dict[str, str], bytes]:
    with Connection(gateway.port) as connection:
        answer = connection.ask("POST", CHAT_PATH, body)
        return connection.status, connection.headers, answer


def test_20_the_surplus_gets_429_and_no_accepted_request_is_lost(scripted, say):
    gateway = scripted(models=["chat=scripted,max_waiting=32"])
    with ThreadPoolExecutor(500) as pool:
        bodies = (say(f"[[tokens=20 delay_ms=20]] {number}") for number in range(500))
        answers = list(pool.map(lambda body: one_chat(gateway, body), bodies))
    statuses = [status for status, _, _ in answers]
    assert set(statuses) <= {200, 429}
    assert statuses.count(429) > 100
    assert statuses.count(200) >= 32
    for status, headers, body in answers:
        if status == 429:
            assert int(headers["retry-after"]) >= 1
        else:
            assert b'"finish_reason":"stop"' in body.replace(b" ", b"")
    assert one_chat(gateway, say("and now?"))[0] == 200


def test_17_queued_requests_of_clients_that_left_never_start(scripted, say):
    gateway = scripted()
    running = [Connection(gateway.port) for _ in range(66)]
    for connection in running:
        connection.send("POST", CHAT_PATH, say("[[tokens=2000 delay_ms=20]]", stream=True))
    wait_until(lambda: gateway.metric("gateway_requests_waiting") >= 1, "requests wait")
    for connection in reversed(running):
        connection.close()
    wait_until(lambda: gateway.metric("gateway_requests_waiting") == 0, "nobody waits")
    wait_until(lambda: gateway.metric("gateway_requests_running") == 0, "nothing runs")


def test_19_small_pages_answer_with_three_hundred_streams_open(scripted, say):
    gateway = scripted(models=["chat=scripted,max_waiting=1000"])
    streams = [Connection(gateway.port) for _ in range(300)]
    try:
        for connection in streams:
            connection.send("POST", CHAT_PATH, say("[[tokens=4000 delay_ms=50]]", stream=True))
        times = []
        for _ in range(15):
            for path in ("/health/live", "/health/ready", "/v1/models", "/metrics"):
                start = time.monotonic()
                assert requests.get(gateway.url + path, timeout=30).status_code == 200
                times.append(time.monotonic() - start)
        times.sort()
        assert times[len(times) // 2] < 0.1, times
    finally:
        for connection in streams:
            connection.close()


def test_memory_stays_flat_over_many_requests(scripted, say, monkeypatch):
    # A sanitised build keeps freed memory back, by default 256 MiB of it.
    monkeypatch.setenv("ASAN_OPTIONS", "quarantine_size_mb=4:thread_local_quarantine_size_kb=64")
    gateway = scripted()
    process = psutil.Process(gateway.process.pid)

    def run(count: int) -> None:
        with Connection(gateway.port) as connection:
            for number in range(count):
                connection.send("POST", CHAT_PATH, say(f"hello {number}", stream=number % 2 == 0))
                assert connection.read_head() == 200
                connection.read_body()

    run(500)  # the allocators have their shape after this
    before = process.memory_info().rss
    run(3000)
    grown = process.memory_info().rss - before
    assert grown < 24 << 20, f"{grown} bytes more after 3000 requests"
