"""How the gateway starts and ends, and what becomes of its workers."""

import json
import signal

import psutil
import requests

from support.gateway import wait_until
from support.wire import Connection


def test_sigterm_lets_running_streams_finish(scripted, say):
    gateway = scripted()
    with Connection(gateway.port) as connection:
        connection.send("POST", "/v1/chat/completions", say("[[tokens=30 delay_ms=50]]", stream=True))
        assert connection.read_head() == 200
        events = connection.events()
        for _ in range(3):
            next(events)
        gateway.process.send_signal(signal.SIGTERM)
        rest = [event.data for event in events if event.data]
    assert rest[-1] == "[DONE]"
    assert len(rest) > 20
    assert gateway.process.wait(60) == 0


def test_sigterm_refuses_new_connections(scripted, say):
    gateway = scripted()
    with Connection(gateway.port) as connection:
        connection.send("POST", "/v1/chat/completions", say("[[tokens=60 delay_ms=50]]", stream=True))
        connection.read_head()
        gateway.process.send_signal(signal.SIGTERM)

        def refused() -> bool:
            try:
                return requests.get(f"{gateway.url}/health/ready", timeout=10).status_code == 503
            except requests.ConnectionError:
                return True

        wait_until(refused, "new work is refused")
        assert [event.data for event in connection.events() if event.data][-1] == "[DONE]"


def test_an_idle_gateway_ends_at_once_and_takes_its_workers_along(scripted):
    gateway = scripted(images=["pictures"])
    workers = list(gateway.workers().values())
    assert len(workers) == 2
    assert gateway.stop(seconds=30) == 0
    gone, alive = psutil.wait_procs(workers, timeout=30)
    assert not alive


def test_a_killed_gateway_leaves_no_orphan(scripted, say):
    gateway = scripted(images=["pictures"])
    workers = list(gateway.workers().values())
    with Connection(gateway.port) as connection:
        connection.send("POST", "/v1/chat/completions", say("[[tokens=4000 delay_ms=10]]", stream=True))
        connection.read_head()
        gateway.process.kill()
        gateway.process.wait()
        gone, alive = psutil.wait_procs(workers, timeout=30)
        assert not alive


def test_a_port_that_is_taken_is_one_clear_line(scripted, tmp_path):
    first = scripted()
    second = type(first)(first.command[0], first.command[6:], tmp_path / "second.log")
    second.command[second.command.index("--port") + 1] = str(first.port)
    second.start(wait=None)
    assert second.process.wait(60) != 0
    assert str(first.port) in second.log_text()


def test_one_log_line_for_each_request_as_json(scripted, say):
    gateway = scripted({"log": {"format": "json"}})
    requests.post(f"{gateway.url}/v1/chat/completions", json=say("hello there"), headers={"X-Request-Id": "line-1"}, timeout=60)
    line = wait_until(lambda: [line for line in gateway.log_text().splitlines() if "line-1" in line], "the line is written")[0]
    fields = json.loads(line)
    assert "chat" in fields.values()
    assert 200 in fields.values()
