"""The Responses API as OpenAI's own client uses it, against real models.

What the client takes is checked twice: by the client's own models in pydantic's strict mode, and, where it is at hand,
against OpenAI's published document (support/published.py).
"""

import json

import openai
import pytest
from openai.types.responses import Response, ResponseStreamEvent
from openai.types.responses.response_item_list import ResponseItemList
from pydantic import BaseModel, TypeAdapter

from conftest import CHAT, TOOLS
from support.gateway import wait_until
from support.published import check_published
from support.wire import Connection

WEATHER = {
    "type": "function",
    "name": "get_weather",
    "description": "The weather in a city",
    "strict": True,
    "parameters": {
        "type": "object",
        "properties": {"city": {"type": "string", "maxLength": 40}},
        "required": ["city"],
        "additionalProperties": False,
    },
}


def ask(client: openai.OpenAI, **more) -> Response:
    return client.responses.create(**({"model": CHAT, "input": "Say hello.", "max_output_tokens": 16, "temperature": 0} | more))


def check_response(body: dict) -> None:
    Response.model_validate(body, strict=True)
    check_published("Response", body)


def events(gateway, body: dict, method: str = "POST", path: str = "/v1/responses") -> list[dict]:
    """A stream as it is on the wire: named events, numbered without gaps, each strictly what OpenAI says."""
    with Connection(gateway.port) as connection:
        connection.send(method, path, body)
        assert connection.read_head() == 200, connection.read_body()
        raw = b"".join(connection.chunks()).decode()
    found = []
    for block in raw.split("\n\n"):
        fields = dict(line.split(": ", 1) for line in block.split("\n") if ": " in line and not line.startswith(":"))
        if not fields:
            continue
        event = json.loads(fields["data"])
        assert fields["event"] == event["type"]
        TypeAdapter(ResponseStreamEvent).validate_python(event, strict=True)
        check_published("ResponseStreamEvent", event)
        found.append(event)
    first = found[0]["sequence_number"]
    assert [event["sequence_number"] for event in found] == list(range(first, first + len(found)))
    return found


def test_a_response_is_what_openai_says(gateway):
    with Connection(gateway.port) as connection:
        body = json.loads(connection.ask("POST", "/v1/responses", {"model": CHAT, "input": "Say hello.", "max_output_tokens": 16}))
    check_response(body)
    assert body["usage"]["output_tokens"] <= 16


def test_the_client_creates_retrieves_and_deletes(client):
    made = ask(client, metadata={"topic": "greeting"}, instructions="Be brief.")
    assert made.output_text
    assert made.status in ("completed", "incomplete")
    kept = client.responses.retrieve(made.id)
    assert kept.model_dump() == made.model_dump()
    client.responses.delete(made.id)
    with pytest.raises(openai.NotFoundError) as missing:
        client.responses.retrieve(made.id)
    assert missing.value.type == "invalid_request_error"


def test_the_streamed_text_is_the_whole_text(client):
    with client.responses.stream(model=CHAT, input="Count to five.", max_output_tokens=32, temperature=0) as stream:
        seen = list(stream)
    deltas = [event.delta for event in seen if event.type == "response.output_text.delta"]
    assert seen[-1].type in ("response.completed", "response.incomplete")
    assert "".join(deltas) == seen[-1].response.output_text
    assert client.responses.retrieve(seen[-1].response.id).output_text == seen[-1].response.output_text


def test_a_stream_has_its_events_in_openais_order(gateway):
    found = events(gateway, {"model": CHAT, "input": "Say hello.", "max_output_tokens": 8, "temperature": 0, "stream": True,
                             "top_logprobs": 2, "include": ["message.output_text.logprobs"]})
    types = [event["type"].removeprefix("response.") for event in found]
    assert types[:4] == ["created", "in_progress", "output_item.added", "content_part.added"]
    assert set(types[4:-4]) == {"output_text.delta"}
    assert types[-4:-1] == ["output_text.done", "content_part.done", "output_item.done"]
    logprobs = [token for event in found if event["type"] == "response.output_text.delta" for token in event["logprobs"]]
    assert len(logprobs) == found[-1]["response"]["usage"]["output_tokens"] - (types[-1] == "completed")
    assert all(len(token["top_logprobs"]) == 2 for token in logprobs)


def test_a_conversation_goes_on_and_its_prompt_is_not_evaluated_again(client):
    story = "Remember this list: " + ", ".join(f"item {number}" for number in range(120)) + ". Reply with OK."
    first = ask(client, input=story)
    second = ask(client, input="And now?", previous_response_id=first.id)
    assert second.previous_response_id == first.id
    assert second.usage.input_tokens > first.usage.input_tokens
    assert second.usage.input_tokens_details.cached_tokens >= first.usage.input_tokens - 8
    third = ask(client, input="Once more.", previous_response_id=second.id)
    assert third.usage.input_tokens_details.cached_tokens >= second.usage.input_tokens - 8


def test_the_instructions_of_earlier_responses_are_not_taken_over(client):
    first = ask(client, instructions="Answer in capital letters. " * 20)
    second = ask(client, input="Again.", previous_response_id=first.id)
    assert second.instructions is None
    assert second.usage.input_tokens < first.usage.input_tokens


def test_a_function_is_called_and_its_output_is_answered(client, gateway):
    question = {"model": TOOLS, "input": "What is the weather in Paris?", "tools": [WEATHER], "tool_choice": "required",
                "temperature": 0, "max_output_tokens": 120}
    made = client.responses.create(**question)
    call = made.output[-1]
    assert call.type == "function_call" and call.name == "get_weather"
    assert set(json.loads(call.arguments)) == {"city"}
    output = {"type": "function_call_output", "call_id": call.call_id, "output": "21 degrees, sunny"}
    answer = client.responses.create(model=TOOLS, input=[output], previous_response_id=made.id, max_output_tokens=60)
    assert answer.output_text
    history = [{"role": "user", "content": question["input"]}, *(item.model_dump() for item in made.output), output]
    assert client.responses.create(model=TOOLS, input=history, max_output_tokens=60, store=False).output_text

    found = events(gateway, question | {"stream": True})
    arguments = [event["delta"] for event in found if event["type"] == "response.function_call_arguments.delta"]
    assert "".join(arguments) == found[-1]["response"]["output"][-1]["arguments"]
    check_response(found[-1]["response"])


class Person(BaseModel):
    name: str
    age: int


def test_the_client_parses_a_structured_answer(client):
    made = client.responses.parse(model=TOOLS, input="Invent a person; a short name.", text_format=Person, max_output_tokens=200,
                                  temperature=0)
    assert isinstance(made.output_parsed, Person)
    plain = client.responses.create(model=TOOLS, input="Answer with a small JSON object.", text={"format": {"type": "json_object"}},
                                    max_output_tokens=200, temperature=0)
    if plain.status == "completed":
        assert isinstance(json.loads(plain.output_text), dict)


def test_input_items_are_paged(client, gateway):
    made = ask(client, input=[{"role": "user", "content": f"part {number}"} for number in range(5)])
    items = list(client.responses.input_items.list(made.id, limit=2, order="asc"))
    assert [item.content[0].text for item in items] == [f"part {number}" for number in range(5)]
    newest = client.responses.input_items.list(made.id, limit=1).data[0]
    assert newest.content[0].text == "part 4"
    with Connection(gateway.port) as connection:
        page = json.loads(connection.ask("GET", f"/v1/responses/{made.id}/input_items"))
    ResponseItemList.model_validate(page, strict=True)
    check_published("ResponseItemList", page)


def finished(client, response_id: str) -> Response:
    return wait_until(lambda: (shown := client.responses.retrieve(response_id)).status not in ("queued", "in_progress") and shown,
                      "the end of a response in the background")


def test_a_response_in_the_background_needs_no_client(client):
    made = ask(client, input="Count to ten.", max_output_tokens=40, background=True)
    assert made.status in ("queued", "in_progress")
    done = finished(client, made.id)
    assert done.status in ("completed", "incomplete")
    assert done.output_text


def test_a_stream_in_the_background_goes_on_where_it_was_left(client, gateway):
    stream = client.responses.create(model=CHAT, input="Tell a story.", max_output_tokens=60, background=True, stream=True)
    left = None
    for event in stream:
        left = event.sequence_number
        if event.type == "response.created":
            made = event.response.id
        if event.type == "response.output_text.delta":
            break
    stream.close()
    rest = list(client.responses.retrieve(made, stream=True, starting_after=left))
    assert [event.sequence_number for event in rest] == list(range(left + 1, left + 1 + len(rest)))
    assert rest[-1].type in ("response.completed", "response.incomplete")
    again = events(gateway, None, "GET", f"/v1/responses/{made}?stream=true")
    assert again[-1]["response"]["output"][0]["content"][0]["text"] == rest[-1].response.output_text


def test_a_response_in_the_background_is_cancelled(client, gateway):
    made = ask(client, input="Count to a thousand.", max_output_tokens=1500, background=True)
    assert client.responses.cancel(made.id).status == "cancelled"
    assert finished(client, made.id).status == "cancelled"
    with pytest.raises(openai.BadRequestError):
        client.responses.cancel(ask(client).id)


def test_input_tokens_are_counted_as_they_are_used(client):
    question = {"model": CHAT, "input": "Say hello.", "instructions": "Be brief."}
    made = ask(client, **question)
    assert client.responses.input_tokens.count(**question).input_tokens == made.usage.input_tokens
    after = {"input": "Again.", "previous_response_id": made.id}
    assert client.responses.input_tokens.count(model=CHAT, **after).input_tokens == ask(client, **after).usage.input_tokens


@pytest.mark.parametrize("field, value", [
    ("tools", [{"type": "web_search"}]), ("prompt", {"id": "pmpt_1"}), ("conversation", "conv_1"), ("truncation", "auto"),
    ("previous_response_id", "resp_0"), ("input", [{"type": "item_reference", "id": "msg_0"}])])
def test_what_cannot_be_done_is_refused_by_name(client, field, value):
    with pytest.raises(openai.BadRequestError) as refused:
        ask(client, **{field: value})
    assert refused.value.param.startswith(field)
