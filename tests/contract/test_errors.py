"""Behaviours 49 and 50: every fault of a request is a 4xx in OpenAI's envelope; no input is an internal error."""

import copy
import json
import random

import pytest

from conftest import CHAT, IMAGES
from support.wire import Connection

ENDPOINTS = {
    "/v1/chat/completions": {
        "model": CHAT,
        "messages": [{"role": "user", "content": "hi"}],
        "max_tokens": 2,
        "temperature": 0.5,
        "stop": ["x"],
        "tools": [{"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}],
        "stream_options": {"include_usage": True},
        "stream": True,
        "response_format": {"type": "text"},
        "logit_bias": {"5": 1},
    },
    "/v1/images/generations": {"model": IMAGES, "prompt": "a cat", "size": "64x64", "n": 1, "seed": 4, "steps": 1},
}


def checked_envelope(connection: Connection, body: bytes) -> dict:
    assert connection.headers["content-type"].startswith("application/json"), body
    error = json.loads(body)["error"]
    assert {"message", "type", "param", "code"} <= error.keys()
    assert error["message"] and error["type"]
    return error


def test_49_five_faults_are_one_answer(gateway):
    body = {
        "model": CHAT,
        "messages": [{"role": "user", "content": "hi"}, {"role": "wizard", "content": "hi"}],
        "temperature": 7,
        "top_p": "high",
        "n": 0,
        "stop": ["a", 5],
    }
    with Connection(gateway.port) as connection:
        answer = connection.ask("POST", "/v1/chat/completions", body)
        assert connection.status == 400
        error = checked_envelope(connection, answer)
    for path in ("messages[1].role", "temperature", "top_p", "n", "stop[1]"):
        assert path in error["message"], error
    assert error["param"] in ("messages[1].role", "temperature", "top_p", "n", "stop[1]")


def test_49_unknown_fields_are_accepted_and_reported(gateway):
    body = {"model": CHAT, "messages": [{"role": "user", "content": "hi"}], "max_tokens": 1, "frobnicate": True, "user_tier": 3}
    with Connection(gateway.port) as connection:
        connection.ask("POST", "/v1/chat/completions", body)
        assert connection.status == 200
        reported = " ".join(value for name, value in connection.headers.items() if "ignored" in name or "unknown" in name)
    assert "frobnicate" in reported and "user_tier" in reported


@pytest.mark.parametrize("method, path, status", [
    ("GET", "/v1/nothing", 404),
    ("PUT", "/v1/chat/completions", 405),
    ("DELETE", "/v1/models", 405),
    ("POST", "/v1/chat/completions/", 404),
])
def test_49_wrong_paths_and_methods(gateway, method, path, status):
    with Connection(gateway.port) as connection:
        body = connection.ask(method, path)
        assert connection.status == status
        checked_envelope(connection, body)
        if status == 405:
            assert "allow" in connection.headers


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"null", b"\xff\xfe", b'"text"', b"{}" * 9, b"[" * 5000,
                                  b'{"model": "\\ud800"}', b'{"messages": [], "messages": []}', b"\x00" * 64])
@pytest.mark.parametrize("path", ENDPOINTS)
def test_49_bodies_that_are_not_a_request(gateway, path, body):
    with Connection(gateway.port) as connection:
        answer = connection.ask("POST", path, body)
        assert 400 <= connection.status < 500, answer
        checked_envelope(connection, answer)


WRONG_VALUES = [None, True, -1, 0, 1e400, 2**70, "", "x" * 3000, [], {}, [[]], {"a": {}}, [None], "\u0000", "2", [1, "a", {}]]


def paths_of(value, prefix=()):
    if prefix:
        yield prefix
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, child in items:
        yield from paths_of(child, (*prefix, key))


def spoiled(request: dict, random_: random.Random) -> bytes:
    """A request with one to three of its values wrong, and sometimes not even JSON any more."""
    request = copy.deepcopy(request)
    for _ in range(random_.randint(1, 3)):
        *parents, last = random_.choice(list(paths_of(request)))
        place = request
        for key in parents:
            place = place[key]
        place[last] = copy.deepcopy(random_.choice(WRONG_VALUES))
    text = bytearray(json.dumps(request).encode())
    if random_.random() < 0.3:
        for _ in range(random_.randint(1, 4)):
            text[random_.randrange(len(text))] = random_.randrange(256)
    return bytes(text)


def send_spoiled(gateway, path: str, count: int) -> None:
    """Some bodies happen to be right; the others are 4xx with an envelope. Nothing is a 5xx and nothing hangs."""
    random_ = random.Random(2024)
    refused = 0
    workers = {name: process.pid for name, process in gateway.workers().items()}
    for number in range(count):
        body = spoiled(ENDPOINTS[path], random_)
        with Connection(gateway.port) as connection:
            connection.send("POST", path, body)
            connection.read_head()
            assert connection.status == 200 or 400 <= connection.status < 500, (number, body, connection.read_body())
            if connection.status == 200:
                streamed = "content-length" not in connection.headers  # its first event is enough
                assert b"internal_error" not in (next(connection.chunks()) if streamed else connection.read_body())
            else:
                checked_envelope(connection, connection.read_body())
                refused += 1
    assert refused > count / 2
    assert {name: process.pid for name, process in gateway.workers().items()} == workers


@pytest.mark.parametrize("path", ENDPOINTS)
def test_49_three_hundred_malformed_bodies(scripted, path):
    send_spoiled(scripted(models=[CHAT], images=[IMAGES]), path, 150)


@pytest.mark.parametrize("path", ENDPOINTS)
def test_49_malformed_bodies_with_real_engines(gateway, path):
    send_spoiled(gateway, path, 30)


def test_a_body_that_is_too_large_is_refused_before_it_is_sent(gateway):
    with Connection(gateway.port) as connection:
        connection.socket.sendall(
            b"POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            b"Content-Length: 99999999999\r\n\r\n")
        connection.read_head()
        assert connection.status == 413
        checked_envelope(connection, connection.read_body())
