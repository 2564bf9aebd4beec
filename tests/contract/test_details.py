"""The details that strict clients trip over, as they are on the wire. Numbers in names are those of docs/behaviours.md."""

import json
import re
import socket

import pytest

from conftest import CHAT, IMAGES, TOOLS
from support.wire import Connection, stream

PROMPT = [{"role": "user", "content": "Say hello."}]
SMALL = {"model": CHAT, "messages": PROMPT, "max_tokens": 3}

REFUSALS = {
    "a fault in a field": ("POST", "/v1/chat/completions", SMALL | {"temperature": 9}, 400),
    "a body that is no JSON": ("POST", "/v1/chat/completions", b"{", 400),
    "an unknown model": ("POST", "/v1/chat/completions", SMALL | {"model": "gpt-9"}, 404),
    "a model of the other kind": ("POST", "/v1/chat/completions", SMALL | {"model": IMAGES}, 400),
    "a model that is not there": ("GET", "/v1/models/gpt-9", None, 404),
    "a path that is not there": ("GET", "/v1/nothing", None, 404),
    "another method": ("PUT", "/v1/chat/completions", None, 405),
    "a prompt that is too long": ("POST", "/v1/chat/completions",
                                  SMALL | {"messages": [{"role": "user", "content": "many words " * 20000}]}, 400),
    "a schema that cannot be kept": ("POST", "/v1/chat/completions",
                                     SMALL | {"json_schema": {"type": "array", "uniqueItems": True}}, 400),
}


@pytest.mark.parametrize("what", REFUSALS)
def test_49_every_error_has_the_four_keys(gateway, what):
    method, path, body, status = REFUSALS[what]
    with Connection(gateway.port) as connection:
        answer = connection.ask(method, path, body)
    assert connection.status == status, answer
    assert connection.headers["content-type"].startswith("application/json")
    assert connection.headers["x-request-id"]
    error = json.loads(answer)["error"]
    assert isinstance(error["message"], str) and isinstance(error["type"], str)
    assert error["param"] is None or isinstance(error["param"], str)
    assert error["code"] is None or isinstance(error["code"], str), "clients compare it with strings"


def test_49_every_error_in_a_stream_has_the_four_keys(scripted, say):
    gateway = scripted()
    with Connection(gateway.port) as connection:
        connection.send("POST", "/v1/chat/completions", say("[[tokens=5 fail=internal fail_after=2]]", stream=True))
        assert connection.read_head() == 200
        events = [event.data for event in connection.events() if event.data]
    error = json.loads(events[-1])["error"]
    assert {"message", "type", "param", "code"} <= error.keys()
    assert "[DONE]" not in events


def test_26_the_wording_of_a_prompt_that_is_too_long(gateway):
    """Clients match on this text to cut their history and try again."""
    method, path, body, _ = REFUSALS["a prompt that is too long"]
    with Connection(gateway.port) as connection:
        error = json.loads(connection.ask(method, path, body))["error"]
    assert error["code"] == "context_length_exceeded"
    assert error["param"] == "messages"
    assert re.match(r"This model's maximum context length is \d+ tokens\. However, your messages resulted in (at least )?\d+ "
                    r"tokens\. Please reduce the length of the messages\.", error["message"])


def test_keys_that_may_be_null_are_there(gateway):
    with Connection(gateway.port) as connection:
        answer = json.loads(connection.ask("POST", "/v1/chat/completions", SMALL))
    assert {"id", "object", "created", "model", "choices", "usage", "service_tier", "system_fingerprint"} <= answer.keys()
    (choice,) = answer["choices"]
    assert choice["logprobs"] is None
    assert choice["message"]["refusal"] is None
    assert isinstance(choice["message"]["content"], str)
    details = answer["usage"]
    assert details["prompt_tokens_details"].keys() >= {"cached_tokens", "audio_tokens"}
    assert details["completion_tokens_details"].keys() >= {
        "reasoning_tokens", "audio_tokens", "accepted_prediction_tokens", "rejected_prediction_tokens"}


@pytest.mark.parametrize("usage", [False, True])
def test_03_keys_that_may_be_null_are_there_in_every_chunk(gateway, usage):
    chunks, _ = stream(gateway.port, SMALL | {"stream_options": {"include_usage": usage}})
    for chunk in chunks:
        assert {"id", "object", "created", "model", "choices", "service_tier", "system_fingerprint"} <= chunk.keys()
        assert ("usage" in chunk) == usage
        for choice in chunk["choices"]:
            assert {"index", "delta", "logprobs", "finish_reason"} <= choice.keys()
    assert len({chunk["created"] for chunk in chunks}) == 1


def test_beside_calls_content_is_null(gateway):
    tool = {"type": "function", "function": {"name": "f", "parameters": {"type": "object", "properties": {}}}}
    with Connection(gateway.port) as connection:
        body = SMALL | {"model": TOOLS, "tools": [tool], "tool_choice": "required", "max_tokens": 60}
        message = json.loads(connection.ask("POST", "/v1/chat/completions", body))["choices"][0]["message"]
    assert message["content"] is None and message["tool_calls"]


def test_every_answer_has_an_id_that_a_stream_has_too(gateway):
    with Connection(gateway.port) as connection:
        connection.ask("POST", "/v1/chat/completions", SMALL)
        first = connection.headers["x-request-id"]
    _, headers = stream(gateway.port, SMALL)
    assert first and headers["x-request-id"] and first != headers["x-request-id"]


def test_405_says_what_is_allowed(gateway):
    with Connection(gateway.port) as connection:
        connection.ask("PUT", "/v1/chat/completions", b"{}")
    assert connection.status == 405
    assert "POST" in connection.headers["allow"]


def test_413_has_a_body_and_says_so(gateway):
    with Connection(gateway.port) as connection:
        connection.socket.sendall(b"POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
                                  b"Content-Length: 99999999999\r\n\r\n")
        assert connection.read_head() == 413
        assert json.loads(connection.read_body())["error"]["message"]


def http_1_0(port: int, body: dict) -> tuple[bytes, bytes]:
    text = json.dumps(body).encode()
    with socket.create_connection(("127.0.0.1", port), timeout=120) as connection:
        connection.sendall(b"POST /v1/chat/completions HTTP/1.0\r\nContent-Type: application/json\r\n"
                           b"Content-Length: " + str(len(text)).encode() + b"\r\n\r\n" + text)
        answer = b"".join(iter(lambda: connection.recv(65536), b""))
    head, _, content = answer.partition(b"\r\n\r\n")
    return head.lower(), content


@pytest.mark.parametrize("streamed", [False, True])
def test_nothing_is_chunked_for_http_1_0(gateway, streamed):
    head, content = http_1_0(gateway.port, SMALL | {"stream": streamed})
    assert b"transfer-encoding" not in head
    if streamed:
        assert content.startswith(b"data: {") and content.endswith(b"data: [DONE]\n\n")
    else:
        assert json.loads(content)["choices"]


@pytest.mark.parametrize("scheme", ["Bearer", "bearer", "BEARER", "bEaReR"])
def test_bearer_in_any_case(scripted, say, scheme):
    gateway = scripted({"server": {"api_keys": ["key-of-the-team"]}})
    with Connection(gateway.port) as connection:
        connection.ask("POST", "/v1/chat/completions", say("hi"), {"Authorization": f"{scheme} key-of-the-team"})
        assert connection.status == 200
        connection.ask("POST", "/v1/chat/completions", say("hi"), {"Authorization": f"{scheme} key-of-another"})
        assert connection.status == 401


def test_07_a_comment_keeps_a_silent_stream_alive(scripted, say):
    gateway = scripted()
    with Connection(gateway.port) as connection:
        connection.send("POST", "/v1/chat/completions", say("[[tokens=1 first_delay_ms=10500]]", stream=True))
        assert connection.read_head() == 200
        events = list(connection.events())
    assert events[0].comment.startswith(":") and not events[0].data
    assert events[-1].data == "[DONE]"


def test_thinking_is_told_apart(scripted, say):
    gateway = scripted()
    message = say("[[reasoning=3]] the answer")
    with Connection(gateway.port) as connection:
        answer = json.loads(connection.ask("POST", "/v1/chat/completions", message))
        assert answer["choices"][0]["message"]["reasoning_content"] == "thought0 thought1 thought2"
        assert answer["choices"][0]["message"]["content"] == "the answer"
        assert answer["usage"]["completion_tokens_details"]["reasoning_tokens"] == 3
        without = json.loads(connection.ask("POST", "/v1/chat/completions", message | {"include_reasoning": False}))
        assert "reasoning_content" not in without["choices"][0]["message"]
    chunks, _ = stream(gateway.port, message)
    deltas = [chunk["choices"][0]["delta"] for chunk in chunks]
    assert "".join(delta.get("reasoning_content", "") for delta in deltas) == "thought0 thought1 thought2"
    first_text = next(index for index, delta in enumerate(deltas) if delta.get("content"))
    assert all("reasoning_content" not in delta for delta in deltas[first_text:])
