"""Tools and structured output, with a small model whose template knows tools."""

import json

import jsonschema
import openai
import pytest
import requests

from conftest import CHAT, TOOLS
from support.gateway import Gateway, wait_until
from support.wire import stream

WEATHER = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "description": "The weather in a city now.",
        "parameters": {
            "type": "object",
            "properties": {"city": {"type": "string", "maxLength": 20}, "unit": {"type": "string", "enum": ["celsius", "fahrenheit"]}},
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
        "parameters": {"type": "object", "properties": {"zone": {"type": "string", "maxLength": 20}}, "required": ["zone"]},
    },
}
QUESTION = [{"role": "user", "content": "What is the weather in Paris? Use the tool."}]


def ask(client: openai.OpenAI, **options):
    return client.chat.completions.create(
        **{"model": TOOLS, "messages": QUESTION, "tools": [WEATHER, TIME], "max_tokens": 300, "temperature": 0} | options)


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


def test_10_only_allowed_tools_are_called(client):
    allowed = {"type": "allowed_tools", "allowed_tools": {"mode": "required", "tools": [
        {"type": "function", "function": {"name": "get_time"}}]}}
    for call in ask(client, tool_choice=allowed).choices[0].message.tool_calls:
        assert call.function.name == "get_time"


def test_10_one_call_where_several_are_not_allowed(client):
    both = [{"role": "user", "content": "What is the weather in Paris, in Rome and in Oslo? Use the tool for each city."}]
    several = ask(client, messages=both, tool_choice="required").choices[0].message.tool_calls
    one = ask(client, messages=both, tool_choice="required", parallel_tool_calls=False).choices[0].message.tool_calls
    assert len(one) == 1
    assert [call.id for call in several] == list(dict.fromkeys(call.id for call in several)), "ids are not repeated"


@pytest.mark.parametrize("choice", ["required", {"type": "function", "function": {"name": "get_time"}}], ids=["required", "named"])
def test_10_a_model_that_knows_no_tools_calls_them_too(client, choice):
    """The default model's template does not mention tools: they are told in the system message."""
    answer = ask(client, model=CHAT, tool_choice=choice).choices[0]
    assert answer.finish_reason == "tool_calls"
    for call in answer.message.tool_calls:
        check_arguments(call.function.name, call.function.arguments)
    if choice != "required":
        assert [call.function.name for call in answer.message.tool_calls] == ["get_time"]


def test_a_model_that_knows_no_tools_reads_results(client, gateway):
    call = ask(client, model=CHAT, tool_choice="required", parallel_tool_calls=False).choices[0].message.tool_calls[0]
    history = [*QUESTION, {"role": "assistant", "content": None, "tool_calls": [call.model_dump()]},
               {"role": "tool", "tool_call_id": call.id, "content": "21 degrees, sunny"}]
    assert ask(client, model=CHAT, messages=history, tool_choice="none", max_tokens=30).choices[0].message.content
    # With tools to choose from, text is streamed as it comes.
    chunks, _ = stream(gateway.port, {"model": CHAT, "messages": history, "tools": [WEATHER], "max_tokens": 30,
                                      "temperature": 0, "logit_bias": {"2": -100}})  # 2 ends an answer
    assert len([chunk for chunk in chunks if chunk["choices"][0]["delta"].get("content")]) > 5


@pytest.mark.parametrize("model", [CHAT, TOOLS])
def test_tools_and_a_form_together(client, model):
    """An answer is calls, or it fits; agent frameworks send both in every turn."""
    form = {"type": "json_schema", "json_schema": {"name": "answer", "schema": {
        "type": "object", "properties": {"answer": {"type": "string", "maxLength": 20}}, "required": ["answer"],
        "additionalProperties": False}}}
    for messages in (QUESTION, [{"role": "user", "content": "Say hello."}]):
        message = ask(client, model=model, messages=messages, response_format=form).choices[0].message
        if message.tool_calls:
            for call in message.tool_calls:
                check_arguments(call.function.name, call.function.arguments)
        else:
            assert list(json.loads(message.content)) == ["answer"]
    forced = ask(client, model=model, response_format=form, tool_choice="required").choices[0]
    assert forced.finish_reason == "tool_calls"


@pytest.mark.parametrize("streamed", [False, True])
def test_09_logprobs_of_a_call(client, gateway, streamed):
    request = {"model": TOOLS, "messages": QUESTION, "tools": [WEATHER], "tool_choice": "required", "temperature": 0,
               "max_tokens": 200, "logprobs": True, "top_logprobs": 2}
    if streamed:
        chunks, _ = stream(gateway.port, request)
        entries = [entry for chunk in chunks for choice in chunk["choices"] if choice.get("logprobs")
                   for entry in choice["logprobs"]["content"]]
        deltas = [call for chunk in chunks for choice in chunk["choices"] for call in choice["delta"].get("tool_calls", [])]
        arguments = "".join(call["function"].get("arguments", "") for call in deltas if call["index"] == 0)
    else:
        choice = client.chat.completions.create(**request).choices[0]
        entries = [entry.model_dump() for entry in choice.logprobs.content]
        arguments = choice.message.tool_calls[0].function.arguments
    said = b"".join(bytes(entry["bytes"]) for entry in entries).decode()
    assert arguments in said
    assert all(len(entry["top_logprobs"]) == 2 for entry in entries)


def test_08_several_answers_with_calls(client, gateway):
    answer = ask(client, n=2, tool_choice="required", seed=1, temperature=0.8)
    for choice in answer.choices:
        assert choice.finish_reason == "tool_calls"
        for call in choice.message.tool_calls:
            check_arguments(call.function.name, call.function.arguments)
    ids = [call.id for choice in answer.choices for call in choice.message.tool_calls]
    assert len(set(ids)) == len(ids)


# Of the size that coding agents send.
MANY = [{"type": "function", "function": {
    "name": f"tool_{number}", "description": "Does one thing of a large program. " * 3,
    "parameters": {"type": "object", "additionalProperties": False, "required": ["path", "mode"], "properties": {
        "path": {"type": "string", "maxLength": 40, "description": f"Where; {number}."},
        "mode": {"enum": ["read", "write", "append", "delete"]},
        "lines": {"type": "array", "items": {"type": "integer", "minimum": 1, "maximum": 99999}, "maxItems": 50},
        "options": {"type": "object", "properties": {f"option_{option}": {"type": ["string", "null"]} for option in range(8)}}}}}}
    for number in range(20)]


def test_15_twenty_tools_can_be_called(client):
    choice = ask(client, tools=MANY, tool_choice={"type": "function", "function": {"name": "tool_7"}}, max_tokens=300).choices[0]
    assert choice.message.tool_calls[0].function.name == "tool_7"
    answer = ask(client, tools=MANY, tool_choice="required", max_tokens=400, parallel_tool_calls=False).choices[0]
    for call in answer.message.tool_calls or []:
        if answer.finish_reason == "tool_calls":
            jsonschema.validate(json.loads(call.function.arguments), MANY[0]["function"]["parameters"])


@pytest.mark.parametrize("choice", ["auto", "required"])
def test_15_the_second_use_of_twenty_tools_compiles_nothing(program, tools_model, logs, choice):
    """Other words, the same tools. Counted, not timed: what is looked for among the things that are worked out once."""
    with Gateway(program, ["--model", f"{TOOLS}={tools_model}"], logs / f"twenty-tools-{choice}.log") as gateway:

        def lookups(outcome: str) -> dict[str, float]:
            return {cache: gateway.metric("worker_cache_lookups_total", cache=cache, outcome=outcome)
                    for cache in ("chat_format", "schema", "grammar")}

        def use(question: str, jobs: int) -> tuple[dict[str, float], dict[str, float]]:
            messages = [{"role": "user", "content": question}]
            body = {"model": TOOLS, "messages": messages, "tools": MANY, "tool_choice": choice, "max_tokens": 16}
            assert requests.post(f"{gateway.url}/v1/chat/completions", json=body, timeout=120).ok
            wait_until(lambda: gateway.metric("worker_jobs_total") == jobs, "the request in the metrics")
            return lookups("hit"), lookups("miss")

        hits, misses = use("Read the file notes.txt.", jobs=1)
        assert misses == {"chat_format": 1, "schema": len(MANY), "grammar": 1}
        after, later = use("And now append a line to it.", jobs=2)
        assert later == misses
        assert after["chat_format"] == hits["chat_format"] + 1
        assert after["schema"] == hits["schema"] + len(MANY)
        assert after["grammar"] == hits["grammar"] + 1


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
        response_format={"type": "json_schema", "json_schema": {"name": "answer", "schema": schema}},
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
