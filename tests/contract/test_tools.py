"""Tools and structured output, with a small model whose template knows tools."""

import json

import jsonschema
import openai
import pytest

from conftest import TOOLS
from support.wire import stream

WEATHER = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "description": "The weather in a city now.",
        "parameters": {
            "type": "object",
            "properties": {"city": {"type": "string"}, "unit": {"type": "string", "enum": ["celsius", "fahrenheit"]}},
            "required": ["city"],
            "additionalProperties": False,
        },
    },
}
TIME = {
    "type": "function",
    "function": {
        "name": "get_time",
        "description": "The time in a time zone.",
        "parameters": {"type": "object", "properties": {"zone": {"type": "string"}}, "required": ["zone"]},
    },
}
QUESTION = [{"role": "user", "content": "What is the weather in Paris? Use the tool."}]


def ask(client: openai.OpenAI, **options):
    return client.chat.completions.create(
        **{"model": TOOLS, "messages": QUESTION, "tools": [WEATHER, TIME], "max_tokens": 200, "temperature": 0} | options)


def check_arguments(name: str, arguments: str) -> None:
    tool = {"get_weather": WEATHER, "get_time": TIME}[name]
    jsonschema.validate(json.loads(arguments), tool["function"]["parameters"])


def test_10_required_always_gives_a_call(client):
    choice = ask(client, tool_choice="required").choices[0]
    assert choice.finish_reason == "tool_calls"
    for call in choice.message.tool_calls:
        assert call.id
        check_arguments(call.function.name, call.function.arguments)


def test_10_a_named_function_is_forced(client):
    choice = ask(client, tool_choice={"type": "function", "function": {"name": "get_time"}}).choices[0]
    assert [call.function.name for call in choice.message.tool_calls] == ["get_time"]
    check_arguments("get_time", choice.message.tool_calls[0].function.arguments)


def test_10_none_never_calls(client):
    choice = ask(client, tool_choice="none", max_tokens=40).choices[0]
    assert not choice.message.tool_calls
    assert choice.message.content


def test_10_an_unknown_name_is_refused(client):
    with pytest.raises(openai.BadRequestError) as failure:
        ask(client, tool_choice={"type": "function", "function": {"name": "get_lost"}})
    assert failure.value.body["param"].startswith("tool_choice")


def test_04_a_streamed_call(gateway):
    request = {"model": TOOLS, "messages": QUESTION, "tools": [WEATHER, TIME], "temperature": 0, "max_tokens": 200}
    chunks, _ = stream(gateway.port, request | {"tool_choice": "required"})
    deltas = [call for chunk in chunks for choice in chunk["choices"] for call in choice["delta"].get("tool_calls", [])]
    firsts = [call for call in deltas if call.get("id")]
    assert firsts[0]["function"]["name"] in ("get_weather", "get_time")
    assert all("index" in call for call in deltas)
    assert all("name" not in call["function"] for call in deltas if not call.get("id"))
    for first in firsts:
        same = [call["function"].get("arguments", "") for call in deltas if call["index"] == first["index"]]
        check_arguments(first["function"]["name"], "".join(same))
    assert chunks[-1]["choices"][0]["finish_reason"] == "tool_calls"


def test_a_tool_result_is_answered(client):
    call = ask(client, tool_choice="required").choices[0].message.tool_calls[0]
    history = [
        *QUESTION,
        {"role": "assistant", "content": None, "tool_calls": [call.model_dump()]},
        {"role": "tool", "tool_call_id": call.id, "content": "21 degrees, sunny"},
    ]
    answer = ask(client, messages=history, tool_choice="none", max_tokens=60)
    assert answer.choices[0].message.content


@pytest.mark.parametrize("streamed", [False, True])
def test_11_history_with_broken_arguments_is_never_an_internal_error(client, streamed):
    call = {"id": "call_1", "type": "function", "function": {"name": "get_weather", "arguments": '{"city": "Par'}}
    history = [
        *QUESTION,
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "call_1", "content": "error"},
    ]
    try:
        answer = ask(client, messages=history, max_tokens=20, stream=streamed)
        if streamed:
            assert list(answer)
    except openai.BadRequestError as failure:
        assert failure.body["param"].startswith("messages[1].tool_calls[0]")


PERSON = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "maxLength": 40},
        "age": {"type": "integer", "minimum": 0, "maximum": 150},
        "role": {"enum": ["admin", "user"]},
        "tags": {"type": "array", "items": {"type": "string", "maxLength": 12}, "maxItems": 3},
    },
    "required": ["name", "age", "role", "tags"],
    "additionalProperties": False,
}
TREE = {
    "type": "object",
    "$defs": {
        "node": {
            "type": "object",
            "properties": {
                "value": {"type": "integer", "minimum": 0, "maximum": 9},
                "left": {"anyOf": [{"$ref": "#/$defs/node"}, {"type": "null"}]},
            },
            "required": ["value", "left"],
            "additionalProperties": False,
        }
    },
    "properties": {"root": {"$ref": "#/$defs/node"}},
    "required": ["root"],
    "additionalProperties": False,
}


@pytest.mark.parametrize("schema", [PERSON, TREE, {"type": "array", "items": {"type": "boolean"}, "minItems": 2, "maxItems": 4}],
                         ids=["person", "tree", "array"])
def test_13_an_answer_fits_its_schema(client, schema):
    """Checked by a validator of another author. An answer that ended early has to be the start of one."""
    answer = client.chat.completions.create(
        model=TOOLS,
        messages=[{"role": "user", "content": "Answer with short JSON that fits the schema."}],
        response_format={"type": "json_schema", "json_schema": {"name": "answer", "schema": schema, "strict": True}},
        max_tokens=300,
        temperature=0.3,
        seed=1,
    ).choices[0]
    if answer.finish_reason == "length":
        assert answer.message.content.lstrip()[0] in "{["
    else:
        jsonschema.validate(json.loads(answer.message.content), schema)


def test_12_a_schema_that_cannot_be_enforced_is_refused(client):
    with pytest.raises(openai.BadRequestError) as failure:
        client.chat.completions.create(
            model=TOOLS,
            messages=QUESTION,
            response_format={"type": "json_schema", "json_schema": {"name": "a", "schema": {"$ref": "#/$defs/absent"}}},
        )
    assert failure.value.body["param"].startswith("response_format")


def test_14_bad_schemas_leave_the_worker_alive(client, gateway):
    before = gateway.workers()[TOOLS].pid
    for schema in ({"type": "strnig"}, {"pattern": "(((("}, {"type": "string", "pattern": "^[z-a]$"}, {"enum": []},
                   {"type": "integer", "minimum": 5, "maximum": 1}, {"properties": 3}, {"anyOf": []}):
        try:
            client.chat.completions.create(
                model=TOOLS,
                messages=QUESTION,
                max_tokens=4,
                response_format={"type": "json_schema", "json_schema": {"name": "a", "schema": schema}},
            )
        except openai.APIStatusError as failure:
            assert 400 <= failure.status_code < 500, (schema, failure.body)
    assert gateway.workers()[TOOLS].pid == before
