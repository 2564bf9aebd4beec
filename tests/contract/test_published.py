"""Answers of every endpoint, each judged by our own document and by the published descriptions (support/judge.py), and that the
judge would say no. What other tests of this folder ask for is judged as well; here is what they leave out."""

import json

import pytest
import requests

from conftest import CHAT, IMAGES, TOOLS
from support.judge import Judge, judge_ours, judge_published, Answer
from support.pictures import data_url, png
from support.published import check_published
from support.wire import Connection

HELLO = [{"role": "user", "content": "Say hello."}]
CHAT_BODY = {"model": CHAT, "messages": HELLO, "max_tokens": 4}
TEXT_BODY = {"model": CHAT, "prompt": "One, two,", "max_tokens": 4}
RESPONSE_BODY = {"model": CHAT, "input": "Say hello.", "max_output_tokens": 16}
MESSAGE_BODY = {"model": CHAT, "messages": HELLO, "max_tokens": 4}
PICTURE_BODY = {"model": IMAGES, "prompt": "a boat", "size": "64x64", "steps": 2}
PARAMETERS = {"type": "object", "properties": {"city": {"type": "string", "maxLength": 20}}, "required": ["city"],
              "additionalProperties": False}
TOOL = {"type": "function", "function": {"name": "get_weather", "description": "The weather.", "parameters": PARAMETERS}}
EDIT_BODY = {"model": IMAGES, "prompt": "a boat", "images": [{"image_url": data_url(png())}], "steps": 2}
CALL = {"model": TOOLS, "tools": [TOOL], "tool_choice": "required", "max_tokens": 80, "temperature": 0}

ASKED = {
    "chat": ("/v1/chat/completions", CHAT_BODY),
    "chat, three answers": ("/v1/chat/completions", CHAT_BODY | {"n": 3}),
    "chat, log probabilities": ("/v1/chat/completions", CHAT_BODY | {"logprobs": True, "top_logprobs": 2}),
    "chat, a call": ("/v1/chat/completions", CHAT_BODY | CALL),
    "chat, a form": ("/v1/chat/completions", CHAT_BODY | {"max_tokens": 60, "response_format": {
        "type": "json_schema", "json_schema": {"name": "place", "schema": PARAMETERS, "strict": True}}}),
    "chat, metadata and tier": ("/v1/chat/completions", CHAT_BODY | {"metadata": {"a": "b"}, "service_tier": "flex", "store": True}),
    "chat, a prediction": ("/v1/chat/completions", CHAT_BODY | {"prediction": {"type": "content", "content": "Hello."}}),
    "chat, its length alone": ("/v1/chat/completions/input_tokens", CHAT_BODY),
    "response, its length alone": ("/v1/responses/input_tokens", {"model": CHAT, "input": "Say hello."}),
    "message, its length alone": ("/v1/messages/count_tokens", {"model": CHAT, "messages": HELLO}),
    "completion": ("/v1/completions", TEXT_BODY),
    "completion, several": ("/v1/completions", TEXT_BODY | {"prompt": ["One,", "A,"], "n": 2, "best_of": 2}),
    "completion, log probabilities": ("/v1/completions", TEXT_BODY | {"logprobs": 2, "echo": True}),
    "response": ("/v1/responses", RESPONSE_BODY),
    "response, log probabilities": ("/v1/responses", RESPONSE_BODY | {"top_logprobs": 2, "include": ["message.output_text.logprobs"]}),
    "response, a call": ("/v1/responses", RESPONSE_BODY | {
        "model": TOOLS, "max_output_tokens": 80, "tool_choice": "required", "reasoning": {"effort": "low"},
        "tools": [{"type": "function", "name": "get_weather", "parameters": PARAMETERS, "strict": True}]}),
    "response, a form": ("/v1/responses", RESPONSE_BODY | {"text": {"format": {
        "type": "json_schema", "name": "place", "schema": PARAMETERS, "strict": True}}, "max_output_tokens": 60}),
    "response, all that is repeated": ("/v1/responses", RESPONSE_BODY | {
        "instructions": "Be brief.", "metadata": {"a": "b"}, "user": "me", "safety_identifier": "me", "prompt_cache_key": "key",
        "service_tier": "priority", "max_tool_calls": 3, "temperature": 0.5, "top_p": 0.9, "truncation": "disabled"}),
    "response, cut off": ("/v1/responses", RESPONSE_BODY | {"input": "Count to a thousand.", "max_output_tokens": 16}),
    "message": ("/v1/messages", MESSAGE_BODY),
    "message, a call": ("/v1/messages", MESSAGE_BODY | {
        "model": TOOLS, "max_tokens": 80, "tool_choice": {"type": "any"},
        "tools": [{"name": "get_weather", "description": "The weather.", "input_schema": PARAMETERS}]}),
    "message, a stop text": ("/v1/messages", MESSAGE_BODY | {"max_tokens": 40, "stop_sequences": ["e"]}),
    "picture": ("/v1/images/generations", PICTURE_BODY),
    "pictures": ("/v1/images/generations", PICTURE_BODY | {"n": 2, "output_format": "jpeg"}),
    "picture, its address": ("/v1/images/generations", PICTURE_BODY | {"response_format": "url"}),
    "edit": ("/v1/images/edits", EDIT_BODY),
    "tokens": ("/tokenize", {"model": CHAT, "content": "Hello", "with_pieces": True, "return_token_strs": True}),
    "text of tokens": ("/detokenize", {"model": CHAT, "tokens": [1, 2, 3]}),
    "prompt": ("/apply-template", CHAT_BODY),
}
STREAMED = {what: asked for what, asked in ASKED.items()
            if asked[0] in ("/v1/chat/completions", "/v1/completions", "/v1/responses", "/v1/messages", "/v1/images/generations", "/v1/images/edits")
            and "response_format" not in asked[1]}
MORE = {
    "/v1/chat/completions": {"stream_options": {"include_usage": True, "include_obfuscation": True}},
    "/v1/completions": {"stream_options": {"include_usage": True}, "best_of": 1, "n": 1},
    "/v1/images/generations": {"partial_images": 1},
    "/v1/images/edits": {"partial_images": 1, "strength": 1},
}


@pytest.mark.parametrize("what", ASKED)
def test_whole_answers(gateway, judge, what):
    path, body = ASKED[what]
    before = judge.answers
    with Connection(gateway.port) as connection:
        answer = connection.ask("POST", path, body)
    assert connection.status == 200, answer
    assert judge.answers == before + 1


@pytest.mark.parametrize("what", STREAMED)
def test_streamed_answers(gateway, judge, what):
    path, body = STREAMED[what]
    before = judge.events
    with Connection(gateway.port) as connection:
        answer = connection.ask("POST", path, body | {"stream": True} | MORE.get(path, {}))
    assert connection.status == 200, answer
    assert judge.events >= before + 2


@pytest.mark.parametrize("path, body", [
    ("/v1/chat/completions", {"model": "chat", "messages": [{"role": "user", "content": "[[reasoning=2]] hi"}]}),
    ("/v1/responses", {"model": "chat", "input": "[[reasoning=2]] hi"}),
    ("/v1/messages", {"model": "chat", "messages": [{"role": "user", "content": "[[reasoning=2]] hi"}], "max_tokens": 20}),
])
def test_answers_with_thinking_and_streams_that_break(scripted, judge, path, body):
    gateway = scripted()
    whole = requests.post(gateway.url + path, json=body, timeout=60)
    assert whole.status_code == 200, whole.text
    broken = json.loads(json.dumps(body).replace("[[reasoning=2]] hi", "[[tokens=5 fail=internal fail_after=2]]"))
    for asked in (body, broken):
        with Connection(gateway.port) as connection:
            connection.ask("POST", path, asked | {"stream": True})
            assert connection.status == 200
    assert requests.post(gateway.url + path, json=broken | {"stream": False}, timeout=60).status_code == 500


@pytest.mark.parametrize("path", ["/v1/models", f"/v1/models/{CHAT}", f"/v1/models/{IMAGES}", "/health/live", "/health/ready",
                                  "/version", "/metrics", "/openapi.json", "/docs", "/docs/swagger-ui.css", "/v1/chat/completions"])
def test_what_is_looked_up(gateway, judge, path):
    before = judge.answers
    assert requests.get(gateway.url + path, timeout=60).status_code == 200
    assert judge.answers == before + 1


def answered(body: dict | str, path: str = "/v1/chat/completions", media_type: str = "application/json", status: int = 200) -> Answer:
    text = body if isinstance(body, str) else json.dumps(body)
    return Answer("POST", path, status, {"content-type": media_type}, text.encode())


@pytest.fixture(scope="module")
def true_answer(gateway) -> dict:
    return requests.post(gateway.url + "/v1/chat/completions", json=CHAT_BODY, timeout=60).json()


@pytest.mark.parametrize("spoil", [
    lambda body: body | {"extra": 1},
    lambda body: {key: value for key, value in body.items() if key != "created"},
    lambda body: body | {"created": "now"},
    lambda body: body | {"choices": [body["choices"][0] | {"finish_reason": "tired"}]},
    lambda body: body | {"choices": [body["choices"][0] | {"message": body["choices"][0]["message"] | {"mood": "good"}}]},
    lambda body: body | {"usage": body["usage"] | {"prompt_tokens_details": {"cached_tokens": 0.5}}},
], ids=["extra key", "missing key", "wrong type", "wrong value", "extra key inside", "no integer"])
def test_the_judges_say_no(true_answer, spoil):
    for judging in (judge_ours, judge_published):
        judging(answered(true_answer))
        with pytest.raises(AssertionError):
            judging(answered(spoil(true_answer)))


def test_the_judges_say_no_to_events_and_to_what_is_not_described(true_answer):
    chunk = {key: true_answer[key] for key in ("id", "created", "model", "service_tier", "system_fingerprint")} | {
        "object": "chat.completion.chunk", "choices": [{"index": 0, "delta": {"content": "a"}, "logprobs": None, "finish_reason": None}]}

    def stream(*chunks: dict) -> Answer:
        return answered("".join(f"data: {json.dumps(one)}\n\n" for one in chunks), media_type="text/event-stream")

    spoiled = [chunk | {"extra": 1}, chunk | {"choices": [chunk["choices"][0] | {"delta": {"context": "a"}}]}, {"error": {"message": "a"}}]
    for judging in (judge_ours, judge_published):
        judging(stream(chunk))
        for one in spoiled:
            with pytest.raises(AssertionError):
                judging(stream(chunk, one))
    with pytest.raises(AssertionError, match="status"):
        judge_ours(answered({"error": {}}, status=418))
    with pytest.raises(AssertionError, match="type"):
        judge_ours(answered("hello", media_type="text/plain"))
    with pytest.raises(AssertionError):
        check_published("Model", {"id": "a", "object": "model", "created": 1})


def test_a_fault_is_not_lost(true_answer):
    judge = Judge()
    judge.see("POST", "/v1/chat/completions", 200, {"Content-Type": "application/json"}, json.dumps(true_answer).encode())
    assert judge.answers == 1 and not judge.faults
    judge.see("POST", "/v1/chat/completions", 200, {"Content-Type": "application/json"}, b'{"id": "a"}')
    assert judge.answers == 2 and len(judge.faults) == 1
