"""Workers that die, hang or cannot start: what clients see, and what the gateway does about it."""

import json
import socket
import subprocess
import threading
from pathlib import Path

import pytest
import requests

from support.gateway import Gateway, wait_until
from support.wire import Connection, stream, text_of

CHAT_PATH = "/v1/chat/completions"


class BackgroundStream:
    """A stream that is read by a thread of its own."""

    def __init__(self, gateway: Gateway, body: dict):
        self.events: list[str] = []
        self.problem: Exception | None = None
        self.connection = Connection(gateway.port)
        self.connection.send("POST", CHAT_PATH, body | {"stream": True})
        assert self.connection.read_head() == 200
        self.thread = threading.Thread(target=self.read)
        self.thread.start()

    def read(self) -> None:
        try:
            for event in self.connection.events():
                if event.data:
                    self.events.append(event.data)
        except Exception as problem:  # told by finish()
            self.problem = problem

    def leave(self) -> None:
        self.connection.socket.shutdown(socket.SHUT_RDWR)
        self.thread.join(30)

    def finish(self) -> list[str]:
        self.thread.join(120)
        assert not self.thread.is_alive(), "the stream never ended"
        self.connection.close()
        if self.problem:
            raise self.problem
        return self.events


def kill(gateway: Gateway, model: str) -> int:
    worker = gateway.workers()[model]
    worker.kill()
    return worker.pid


def wait_for_successor(gateway: Gateway, model: str, old: int) -> None:
    def has_successor() -> bool:
        worker = gateway.workers().get(model)
        return worker is not None and worker.pid != old

    wait_until(has_successor, f"{model} has a new worker")
    gateway.wait_for("/health/ready")


def test_33_killing_the_image_worker_leaves_chat_streams_untouched(scripted, say):
    gateway = scripted(images=["pictures"])
    running = BackgroundStream(gateway, say("[[tokens=60 delay_ms=30]]"))
    wait_until(lambda: len(running.events) > 5, "the stream runs")
    old = kill(gateway, "pictures")
    events = running.finish()
    assert events[-1] == "[DONE]"
    assert len(text_of([json.loads(event) for event in events[:-1]]).split()) == 60
    wait_for_successor(gateway, "pictures", old)
    picture = requests.post(
        f"{gateway.url}/v1/images/generations", json={"model": "pictures", "prompt": "x", "size": "64x64"}, timeout=60)
    assert picture.status_code == 200


def test_33_killing_a_text_worker_ends_its_streams_with_an_error_event(scripted, say):
    gateway = scripted(models=["chat", "other"])
    hit = BackgroundStream(gateway, say("[[tokens=400 delay_ms=30]]"))
    spared = BackgroundStream(gateway, say("[[tokens=60 delay_ms=30]]", model="other"))
    wait_until(lambda: len(hit.events) > 5 and len(spared.events) > 5, "both streams run")
    old = kill(gateway, "chat")
    error = json.loads(hit.finish()[-1])["error"]
    assert error["message"] and error["type"]
    assert spared.finish()[-1] == "[DONE]"
    wait_for_successor(gateway, "chat", old)
    chunks, _ = stream(gateway.port, say("back again"))
    assert text_of(chunks) == "back again"


def test_33_a_request_that_is_not_streamed_gets_a_503(scripted, say):
    gateway = scripted()
    with Connection(gateway.port) as connection:
        connection.send("POST", CHAT_PATH, say("[[tokens=400 delay_ms=30]]"))
        wait_until(lambda: gateway.metric("gateway_requests_running") >= 1, "the request runs")
        kill(gateway, "chat")
        assert connection.read_head() == 503
        assert "retry-after" in connection.headers
        assert json.loads(connection.read_body())["error"]["message"]


def test_33_queued_requests_run_on_the_successor(scripted, say):
    gateway = scripted()
    more_than_slots = 66  # the scripted worker has 64
    running = [BackgroundStream(gateway, say("[[tokens=2000 delay_ms=30]]")) for _ in range(more_than_slots)]
    answers: list[int] = []

    def queued() -> None:
        answers.append(requests.post(gateway.url + CHAT_PATH, json=say("later"), timeout=120).status_code)

    waiting = threading.Thread(target=queued)
    waiting.start()
    wait_until(lambda: gateway.metric("gateway_requests_waiting") >= 1, "a request waits")
    kill(gateway, "chat")
    waiting.join(120)
    assert answers == [200]
    for stream_ in running:
        stream_.leave()


def test_a_worker_that_crashes_by_itself_is_replaced(scripted, say):
    gateway = scripted()
    old = gateway.workers()["chat"].pid
    hit = BackgroundStream(gateway, say("[[tokens=9 delay_ms=50 crash_after=3]]"))
    assert "error" in json.loads(hit.finish()[-1])
    wait_for_successor(gateway, "chat", old)
    answer = requests.post(gateway.url + CHAT_PATH, json=say("fine"), timeout=60).json()
    assert answer["choices"][0]["message"]["content"] == "fine"


def test_a_worker_that_is_killed_again_and_again_always_comes_back(scripted, say):
    gateway = scripted()
    for _ in range(3):
        wait_for_successor(gateway, "chat", kill(gateway, "chat"))
    assert gateway.metric("worker_restarts_total", model="chat") == 3
    assert requests.post(gateway.url + CHAT_PATH, json=say("hello"), timeout=60).status_code == 200


@pytest.mark.parametrize("code, status", [
    ("invalid", 400), ("context_length", 400), ("busy", 429), ("unavailable", 503), ("too_large", 413), ("unsupported", 400),
])
def test_what_a_worker_says_becomes_the_right_status(scripted, say, code, status):
    gateway = scripted()
    answer = requests.post(gateway.url + CHAT_PATH, json=say(f"[[fail={code}]]"), timeout=60)
    assert answer.status_code == status
    assert answer.json()["error"]["message"]
    if status in (429, 503):
        assert int(answer.headers["Retry-After"]) >= 1


def test_50_an_internal_error_names_the_request_and_nothing_inside(scripted, say):
    gateway = scripted()
    answer = requests.post(gateway.url + CHAT_PATH, json=say("[[fail=internal]]"), timeout=60)
    assert answer.status_code == 500
    error = answer.json()["error"]
    assert answer.headers["X-Request-Id"] in error["message"]
    assert "script" not in error["message"]


def test_44_a_model_that_cannot_be_loaded_leaves_the_others_working(scripted, say, tmp_path):
    gateway = scripted(models=["chat", f"broken={tmp_path}/absent.gguf"], wait="live")
    wait_until(lambda: requests.post(gateway.url + CHAT_PATH, json=say("hello"), timeout=60).status_code == 200, "chat answers")
    answer = requests.post(gateway.url + CHAT_PATH, json=say("hello", model="broken"), timeout=60)
    assert answer.status_code == 503
    assert "broken" in answer.json()["error"]["message"]


def test_the_front_door_opens_before_models_are_loaded(scripted, say):
    gateway = scripted(models=["chat=scripted-load_ms=4000"], wait="live")
    ready = requests.get(f"{gateway.url}/health/ready", timeout=30)
    assert ready.status_code == 503
    assert requests.get(f"{gateway.url}/v1/models", timeout=30).json()["data"][0]["id"] == "chat"
    gateway.wait_for("/health/ready")
    assert requests.post(gateway.url + CHAT_PATH, json=say("hello"), timeout=60).status_code == 200


def test_22_a_wedged_worker_is_replaced(scripted, say):
    gateway = scripted({"workers": {"watchdog_timeout": "2s"}})
    old = gateway.workers()["chat"].pid
    hit = BackgroundStream(gateway, say("[[tokens=9 hang_after=2]]"))
    assert "error" in json.loads(hit.finish()[-1])
    wait_for_successor(gateway, "chat", old)


@pytest.mark.parametrize("kind", ["text", "image"])
def test_arguments_that_a_worker_refuses_are_a_model_that_cannot_be_loaded(build: Path, kind: str):
    command = [build / f"bin/llm-gateway-{kind}-worker", "--socket", "x.sock", "--name", "x", "--threads", "many"]
    ended = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=60)
    assert ended.returncode == 3
    assert len(ended.stderr.splitlines()) == 1
    assert ended.stderr.startswith("wrong arguments: ")
