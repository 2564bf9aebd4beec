"""POST /v1/messages as it is on the wire; tests/clients asks it through Anthropic's own libraries."""

import json

import pytest
import requests

from conftest import CHAT, TOOLS
from support.wire import Connection

PATH = "/v1/messages"
WEATHER = {
    "name": "get_weather",
    "description": "The weather in a city now.",
    "input_schema": {"type": "object", "properties": {"city": {"type": "string", "maxLength": 40}}, "required": ["city"]},
}


def body(text: str = "Name the capital of France in one short sentence.", model: str = CHAT, **more) -> dict:
    return {"model": model, "max_tokens": 24, "temperature": 0, "messages": [{"role": "user", "content": text}]} | more


def events(port: int, request: dict) -> list[dict]:
    """The events of a stream, checked to be named like the `type` of their data."""
    with Connection(port) as connection:
        connection.send("POST", PATH, request | {"stream": True})
        assert connection.read_head() == 200
        blocks = b"".join(connection.chunks()).decode().split("\n\n")
    told = []
    for block in blocks:
        fields = dict(line.split(": ", 1) for line in block.split("\n") if not line.startswith(":") and line)
        if fields:
            told.append(json.loads(fields["data"]))
            assert fields["event"] == told[-1]["type"]
    return told


def test_whole_and_streamed_answers_are_the_same(gateway):
    whole = requests.post(gateway.url + PATH, json=body(), timeout=300).json()
    told = events(gateway.port, body())
    kinds = [event["type"] for event in told]
    assert kinds[:3] == ["message_start", "ping", "content_block_start"]
    assert kinds[-3:] == ["content_block_stop", "message_delta", "message_stop"]
    assert set(kinds[3:-3]) == {"content_block_delta"}
    assert "".join(event["delta"]["text"] for event in told[3:-3]) == whole["content"][0]["text"]
    assert told[-2]["delta"] == {key: whole[key] for key in ("stop_reason", "stop_sequence", "stop_details", "container")}
    start, end = told[0]["message"]["usage"], told[-2]["usage"]
    prompt = ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
    assert [start[key] for key in prompt] == [end[key] for key in prompt]
    assert end["output_tokens"] == whole["usage"]["output_tokens"]


def test_an_answer_goes_on_where_the_assistant_stopped(gateway):
    request = body(max_tokens=4)
    request["messages"].append({"role": "assistant", "content": "The capital of France is"})
    text = requests.post(gateway.url + PATH, json=request, timeout=300).json()["content"][0]["text"]
    assert text.split()[0].startswith("Paris")


def test_a_prompt_is_the_same_as_in_chat(gateway):
    """The second finds what the first has evaluated, so both have rendered it alike."""
    text = "Tell me about the number " + " ".join(map(str, range(3000, 3060)))
    chat = {"model": CHAT, "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": text}],
            "max_tokens": 1}
    first = requests.post(f"{gateway.url}/v1/chat/completions", json=chat, timeout=300).json()["usage"]
    second = requests.post(gateway.url + PATH, json=body(text, system="Be brief.", max_tokens=1), timeout=300).json()["usage"]
    assert second["input_tokens"] + second["cache_read_input_tokens"] == first["prompt_tokens"]
    assert second["cache_read_input_tokens"] >= first["prompt_tokens"] - 2


@pytest.mark.parametrize("choice", [{"type": "any"}, {"type": "tool", "name": "get_weather"}], ids=["any", "tool"])
def test_forced_tools_are_used(gateway, choice):
    told = events(gateway.port, body("What is the weather in Paris?", TOOLS, tools=[WEATHER], tool_choice=choice, max_tokens=100))
    start = next(event for event in told if event["type"] == "content_block_start")
    assert start["content_block"]["type"] == "tool_use"
    assert start["content_block"]["name"] == "get_weather" and start["content_block"]["input"] == {}
    pieces = [event["delta"]["partial_json"] for event in told if event["type"] == "content_block_delta" and event["index"] == 0]
    assert json.loads("".join(pieces))["city"]
    assert told[-2]["delta"]["stop_reason"] == "tool_use"


def test_a_stop_sequence_is_named(gateway):
    answer = requests.post(gateway.url + PATH, json=body(max_tokens=60, stop_sequences=["zzz", "a"]), timeout=300).json()
    assert (answer["stop_reason"], answer["stop_sequence"]) == ("stop_sequence", "a")
    assert "a" not in "".join(block["text"] for block in answer["content"])


def error_of(answer: requests.Response) -> dict:
    found = answer.json()
    assert found["type"] == "error"
    assert found["request_id"] == answer.headers["request-id"] == answer.headers["x-request-id"]
    assert found["error"]["message"]
    return found["error"]


def test_errors_have_anthropics_form(scripted):
    gateway = scripted({"server": {"api_keys": ["key"], "max_body_bytes": "64KiB"}})
    key = {"x-api-key": "key", "anthropic-version": "2023-06-01", "anthropic-beta": "one,two"}
    url = gateway.url + PATH

    def post(**request) -> requests.Response:
        return requests.post(url, **{"headers": key, "timeout": 60} | request)

    assert post(json=body("hi", "chat")).status_code == 200
    assert post(json=body("hi", "chat"), headers={"Authorization": "Bearer key"}).status_code == 200
    expected = [
        (post(json=body("hi", "chat"), headers={}), 401, "authentication_error"),
        (post(json=body("hi", "chat"), headers={"x-api-key": "no"}), 401, "authentication_error"),
        (post(json=body("hi", "gpt-9")), 404, "not_found_error"),
        (post(json=body("hi " * 30000, "chat")), 413, "request_too_large"),
        (post(data="{", headers=key | {"Content-Type": "application/json"}), 400, "invalid_request_error"),
        (post(data="hi", headers=key | {"Content-Type": "text/plain"}), 415, "invalid_request_error"),
        (post(json=body("hi", "chat") | {"max_tokens": 0}), 400, "invalid_request_error"),
        (post(json=body("[[fail=busy]]", "chat")), 429, "rate_limit_error"),
        (post(json=body("[[fail=unavailable]]", "chat")), 529, "overloaded_error"),
        (post(json=body("[[fail=internal]]", "chat")), 500, "api_error"),
        (requests.get(url, headers=key, timeout=60), 405, "invalid_request_error"),
        (requests.get(url + "/batches", headers=key, timeout=60), 404, "not_found_error"),
    ]
    for answer, status, kind in expected:
        assert (answer.status_code, error_of(answer)["type"]) == (status, kind), answer.text
    busy, overloaded = expected[7][0], expected[8][0]
    assert int(busy.headers["Retry-After"]) >= 1 and int(overloaded.headers["Retry-After"]) >= 1


def test_a_stream_that_breaks_ends_with_an_error_event(scripted):
    told = events(scripted().port, body("[[tokens=5 fail=internal fail_after=2]]", "chat"))
    assert [event["type"] for event in told[-3:]] == ["content_block_delta", "content_block_delta", "error"]
    assert told[-1]["error"]["type"] == "api_error"


def test_thinking_is_a_block_of_its_own(scripted):
    told = events(scripted().port, body("[[reasoning=2]] hi", "chat"))
    starts = [event["content_block"]["type"] for event in told if event["type"] == "content_block_start"]
    assert starts == ["thinking", "text"]
    deltas = [event["delta"]["type"] for event in told if event["type"] == "content_block_delta"]
    assert deltas == ["thinking_delta", "thinking_delta", "signature_delta", "text_delta"]
