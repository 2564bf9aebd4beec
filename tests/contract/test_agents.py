"""Coding agents: requests in the form in which they come from Claude Code, Codex, opencode, Cline and Aider, one agent a
file of agents/, one request a line. Only the model's name is replaced, and the length of the answers limited.

`continues` marks a request that says again what the one before it said, and then more.
"""

import json
from dataclasses import dataclass, field
from pathlib import Path

import pytest
import requests

from conftest import TOOLS
from support.published import check_published
from support.wire import Connection

AGENTS = sorted(Path(__file__).with_name("agents").glob("*.jsonl"))
ANSWER_TOKENS = 24


@dataclass
class Answer:
    text: str = ""
    #: What tools were called with, by the index of the call.
    arguments: dict[int, str] = field(default_factory=dict)
    prompt_tokens: int = 0
    cached_tokens: int = 0
    #: By the limit of tokens, before it was whole.
    cut: bool = False


def read_chat(events: list[dict]) -> Answer:
    answer = Answer()
    assert {event["id"] for event in events} == {events[0]["id"]}
    ends = []
    for event in events:
        check_published("CreateChatCompletionStreamResponse", event)
        for choice in event["choices"]:
            answer.text += choice["delta"].get("content") or ""
            for call in choice["delta"].get("tool_calls", []):
                answer.arguments[call["index"]] = answer.arguments.get(call["index"], "") + call["function"]["arguments"]
            ends.append(choice["finish_reason"])
        if event.get("usage"):
            answer.prompt_tokens = event["usage"]["prompt_tokens"]
            answer.cached_tokens = event["usage"]["prompt_tokens_details"]["cached_tokens"]
    assert [end is not None for end in ends] == [False] * (len(ends) - 1) + [True]
    answer.cut = ends[-1] == "length"
    return answer


def read_responses(events: list[dict]) -> Answer:
    answer = Answer()
    assert [event["sequence_number"] for event in events] == list(range(len(events)))
    for event in events:
        check_published("ResponseStreamEvent", event)
        if event["type"] == "response.output_text.delta":
            answer.text += event["delta"]
        elif event["type"] == "response.function_call_arguments.done":
            answer.arguments[event["output_index"]] = event["arguments"]
    assert events[0]["type"] == "response.created"
    assert events[-1]["type"] in ("response.completed", "response.incomplete")
    answer.cut = events[-1]["type"] == "response.incomplete"
    usage = events[-1]["response"]["usage"]
    answer.prompt_tokens, answer.cached_tokens = usage["input_tokens"], usage["input_tokens_details"]["cached_tokens"]
    return answer


def read_messages(events: list[dict]) -> Answer:
    answer = Answer()
    events = [event for event in events if event["type"] != "ping"]
    assert [event["type"] for event in (events[0], *events[-2:])] == ["message_start", "message_delta", "message_stop"]
    open_block = None
    for event in events[1:-2]:
        if event["type"] == "content_block_start":
            assert open_block is None
            open_block = event["index"]
        assert event["index"] == open_block
        if event["type"] == "content_block_stop":
            open_block = None
        elif event["type"] == "content_block_delta":
            delta = event["delta"]
            answer.text += delta.get("text", "")
            if delta["type"] == "input_json_delta":
                answer.arguments[open_block] = answer.arguments.get(open_block, "") + delta["partial_json"]
    assert open_block is None
    answer.cut = events[-2]["delta"]["stop_reason"] == "max_tokens"
    usage = events[-2]["usage"]
    answer.cached_tokens = usage["cache_read_input_tokens"]
    answer.prompt_tokens = usage["input_tokens"] + answer.cached_tokens + (usage.get("cache_creation_input_tokens") or 0)
    return answer


READERS = {"/v1/chat/completions": read_chat, "/v1/responses": read_responses, "/v1/messages": read_messages}
LIMITS = ("max_tokens", "max_output_tokens", "max_completion_tokens")


def limited(request: dict, tokens: int) -> dict:
    """The body with the model's name and no longer answers than that."""
    body = request["body"] | {"model": TOOLS}
    if "count_tokens" in request["path"]:
        return body
    known = [name for name in LIMITS if name in body]
    name = known[0] if known else LIMITS[1] if "responses" in request["path"] else LIMITS[0]
    return body | {name: min(body.get(name, tokens), tokens)}


def post(gateway, request: dict, body: dict) -> requests.Response:
    reply = requests.post(gateway.url + request["path"], json=body, headers=request["headers"], timeout=600)
    assert reply.status_code == 200, reply.text
    return reply


def ask(gateway, request: dict, body: dict) -> Answer:
    """A streamed request: every event in its form, in its order, to its end."""
    reply = post(gateway, request, body)
    blocks = [block.split("\n") for block in reply.text.split("\n\n") if block and not block.startswith(":")]
    data = [line.removeprefix("data: ") for block in blocks for line in block if line.startswith("data: ")]
    if "chat" in request["path"]:
        assert data.pop() == "[DONE]"
    events = [json.loads(text) for text in data]
    if "chat" not in request["path"]:
        names = [line.removeprefix("event: ") for block in blocks for line in block if line.startswith("event: ")]
        assert names == [event["type"] for event in events]
    return READERS[request["path"].split("?")[0]](events)


@pytest.fixture(params=AGENTS, ids=lambda file: file.stem)
def log(request) -> list[dict]:
    return [json.loads(line) for line in request.param.read_text().splitlines()]


def test_a_conversation_is_answered_and_every_turn_reuses_the_one_before(gateway, log):
    before = None
    for request in log:
        body = limited(request, ANSWER_TOKENS)
        if not body.get("stream"):
            reply = post(gateway, request, body).json()
            assert reply.get("input_tokens") or reply.get("choices") or reply.get("content")
            continue
        answer = ask(gateway, request, body)
        assert answer.text or answer.arguments
        if request["continues"] and answer.prompt_tokens:
            assert answer.cached_tokens > 0.8 * before.prompt_tokens
        before = answer


def test_a_call_that_must_be_made_has_whole_arguments(gateway, log):
    request = log[-1]
    if "tools" not in request["body"]:
        request = log[-2]
    body = limited(request, 400) | {"tool_choice": {"type": "any"} if "messages" in request["path"] else "required"}
    if "tools" not in body:  # agents that call in text
        body.pop("tool_choice")
        assert ask(gateway, request, body | {"max_tokens": ANSWER_TOKENS}).text
        return
    # The model may go on and on in a text: then it is asked again.
    answers = (ask(gateway, request, body | {"temperature": 0.5}) for _ in range(6))
    answer = next((answer for answer in answers if not answer.cut), None)
    assert answer, "none came to its end"
    assert answer.arguments
    for arguments in answer.arguments.values():
        assert isinstance(json.loads(arguments), dict)


def test_an_answer_that_is_interrupted_may_have_been_of_any_length(gateway, log):
    """As sent, and the client leaves when it has seen the first words."""
    request = [line for line in log if line["body"].get("stream")][-1]
    with Connection(gateway.port) as connection:
        connection.send("POST", request["path"], request["body"] | {"model": TOOLS}, request["headers"])
        assert connection.read_head() == 200
        assert next(event for event in connection.events() if event.data)
