"""anthropic for Python. Run with two versions: the one of requirements.txt here, and that of newest.txt."""

import anthropic
import pytest

from asks import PERSON_QUESTION, QUESTION, UNKNOWN, WEATHER_QUESTION, WEATHER_SCHEMA, Person, check_person
from conftest import TOOLS

# The newest client knows no temperature; the API does.
GREEDY = {"temperature": 0}
TOOL = {"name": "get_weather", "description": "The weather in a city now.", "input_schema": WEATHER_SCHEMA}


@pytest.fixture(scope="module")
def claude(gateway) -> anthropic.Anthropic:
    return anthropic.Anthropic(base_url=gateway.url, api_key="unused", max_retries=0, timeout=600)


def user(content) -> list[dict]:
    return [{"role": "user", "content": content}]


def test_an_answer(claude):
    answer = claude.messages.create(
        model=TOOLS, system="Be brief.", messages=user(QUESTION), max_tokens=24, extra_body=GREEDY)
    assert answer.id.startswith("msg_")
    assert answer.content[0].type == "text" and answer.content[0].text
    assert answer.stop_reason in ("end_turn", "max_tokens")
    assert answer.usage.output_tokens > 0
    assert answer._request_id


def test_a_stream(claude):
    with claude.messages.stream(model=TOOLS, messages=user(QUESTION), max_tokens=24, extra_body=GREEDY) as stream:
        kinds = []
        for event in stream:
            if not kinds or kinds[-1] != event.type:
                kinds.append(event.type)
        final = stream.get_final_message()
    assert kinds[:2] == ["message_start", "content_block_start"]
    assert kinds[-3:] == ["content_block_stop", "message_delta", "message_stop"]
    whole = claude.messages.create(model=TOOLS, messages=user(QUESTION), max_tokens=24, extra_body=GREEDY)
    assert final.content[0].text == whole.content[0].text
    assert final.usage.output_tokens == whole.usage.output_tokens
    assert final.stop_reason == whole.stop_reason


def test_the_first_event_has_the_prompt_tokens(claude):
    events = list(claude.messages.create(model=TOOLS, messages=user(QUESTION), max_tokens=2, stream=True))
    usage = events[0].message.usage
    assert usage.input_tokens + usage.cache_read_input_tokens > 10
    assert events[-2].usage.output_tokens == 2


def test_a_tool_is_used_and_its_result_answered(claude):
    question = user([{"type": "text", "text": WEATHER_QUESTION}])
    answer = claude.messages.create(
        model=TOOLS, messages=question, tools=[TOOL], tool_choice={"type": "any"}, max_tokens=80, extra_body=GREEDY)
    assert answer.stop_reason == "tool_use"
    call = answer.content[-1]
    assert call.type == "tool_use" and call.name == "get_weather" and call.input["city"]
    result = {"type": "tool_result", "tool_use_id": call.id, "content": [{"type": "text", "text": "21 degrees, sunny"}]}
    history = [*question, {"role": "assistant", "content": answer.content}, {"role": "user", "content": [result]}]
    last = claude.messages.create(
        model=TOOLS, messages=history, tools=[TOOL], tool_choice={"type": "none"}, max_tokens=40, extra_body=GREEDY)
    assert last.content[0].text


def test_a_streamed_tool_use(claude):
    with claude.messages.stream(
        model=TOOLS, messages=user(WEATHER_QUESTION), tools=[TOOL], tool_choice={"type": "tool", "name": "get_weather"},
        max_tokens=80, extra_body=GREEDY,
    ) as stream:
        pieces = [event.partial_json for event in stream if event.type == "input_json"]
        call = stream.get_final_message().content[-1]
    assert call.input["city"]
    assert "".join(pieces)


def test_structured_output(claude):
    answer = claude.messages.parse(
        model=TOOLS, messages=user(PERSON_QUESTION), max_tokens=100, extra_body=GREEDY, output_format=Person)
    check_person(answer.parsed_output)


def test_a_stop_sequence(claude):
    answer = claude.messages.create(
        model=TOOLS, messages=user("Count: one, two, three"), max_tokens=60, extra_body=GREEDY, stop_sequences=["zzz", " "])
    assert answer.stop_reason == "stop_sequence"
    assert answer.stop_sequence == " "
    assert all(" " not in block.text for block in answer.content)


def test_the_prompt_cache(claude):
    system = [{"type": "text", "text": "You know these numbers: " + " ".join(map(str, range(200))),
               "cache_control": {"type": "ephemeral"}}]
    first, second = (
        claude.messages.create(model=TOOLS, system=system, messages=user(question), max_tokens=2).usage
        for question in ("Which is the first?", "Which is the last?"))
    assert first.cache_creation_input_tokens + first.cache_read_input_tokens > 200
    assert second.cache_read_input_tokens > 200


def test_tokens_are_counted_before(claude):
    request = {"model": TOOLS, "system": "Be brief.", "messages": user(QUESTION), "tools": [TOOL]}
    counted = claude.messages.count_tokens(**request).input_tokens
    usage = claude.messages.create(**request, max_tokens=1).usage
    assert counted == usage.input_tokens + usage.cache_read_input_tokens


def test_the_models(claude):
    assert TOOLS in [model.id for model in claude.models.list()]
    assert claude.models.retrieve(TOOLS).id == TOOLS


def test_what_is_beta_elsewhere(claude):
    answer = claude.beta.messages.create(
        model=TOOLS, messages=user(QUESTION), max_tokens=4, betas=["context-management-2025-06-27"])
    assert answer.content[0].text


def test_an_unknown_model(claude):
    with pytest.raises(anthropic.NotFoundError) as failure:
        claude.messages.create(model=UNKNOWN, messages=user(QUESTION), max_tokens=1)
    assert failure.value.body["error"]["type"] == "not_found_error"
    assert failure.value.request_id
    with pytest.raises(anthropic.NotFoundError):
        with claude.messages.stream(model=UNKNOWN, messages=user(QUESTION), max_tokens=1):
            pass


def test_bad_requests(claude):
    picture = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "Zm9v"}}
    for fault, request in {
        "picture": {"messages": user([picture])},
        "temperature": {"messages": user(QUESTION), "extra_body": {"temperature": 3}},
        "prompt is too long": {"messages": user("word " * 50000)},
    }.items():
        with pytest.raises(anthropic.BadRequestError, match=fault):
            claude.messages.create(**{"model": TOOLS, "max_tokens": 1} | request)


def test_what_is_not_there(claude):
    with pytest.raises(anthropic.NotFoundError):
        claude.messages.batches.list()
