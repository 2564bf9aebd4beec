"""openai for Python. Run with two versions: the one of requirements.txt here, and that of newest.txt."""

import base64
import json

import openai
import pytest

from asks import PERSON_QUESTION, QUESTION, UNKNOWN, WEATHER_QUESTION, WEATHER_SCHEMA, Person, check_person
from conftest import IMAGES, TOOLS

TOOL = {"type": "function", "function": {"name": "get_weather", "parameters": WEATHER_SCHEMA, "strict": True}}


def user(text: str) -> list[dict]:
    return [{"role": "user", "content": text}]


def test_an_answer(client):
    answer = client.chat.completions.create(model=TOOLS, messages=user(QUESTION), max_tokens=24, temperature=0)
    assert answer.choices[0].message.content
    assert answer.usage.total_tokens == answer.usage.prompt_tokens + answer.usage.completion_tokens


def test_raw_answers_carry_the_request_id(client):
    raw = client.chat.completions.with_raw_response.create(model=TOOLS, messages=user(QUESTION), max_tokens=2)
    assert raw.request_id
    assert raw.parse()._request_id == raw.request_id


def test_a_stream(client):
    with client.chat.completions.stream(model=TOOLS, messages=user(QUESTION), max_tokens=24, temperature=0) as stream:
        pieces = [event.delta for event in stream if event.type == "content.delta"]
        final = stream.get_final_completion()
    assert len(pieces) > 1
    assert "".join(pieces) == final.choices[0].message.content


async def ask_several_at_once(base_url: str) -> list:
    import asyncio

    async with openai.AsyncOpenAI(base_url=base_url, api_key="unused") as client:
        return await asyncio.gather(*(
            client.chat.completions.create(model=TOOLS, messages=user(QUESTION), max_tokens=4) for _ in range(3)))


def test_the_asynchronous_client(base_url):
    import asyncio

    answers = asyncio.run(ask_several_at_once(base_url))
    assert all(answer.choices[0].finish_reason in ("stop", "length") for answer in answers)


def test_a_tool_call(client):
    choice = client.chat.completions.create(
        model=TOOLS, messages=user(WEATHER_QUESTION), tools=[TOOL], tool_choice="required", max_tokens=80, temperature=0,
    ).choices[0]
    assert choice.finish_reason == "tool_calls"
    assert "city" in json.loads(choice.message.tool_calls[0].function.arguments)


def test_a_streamed_tool_call(client):
    with client.chat.completions.stream(
        model=TOOLS, messages=user(WEATHER_QUESTION), tools=[TOOL], tool_choice="required", max_tokens=80, temperature=0,
    ) as stream:
        call = stream.get_final_completion().choices[0].message.tool_calls[0]
    assert call.function.parsed_arguments["city"]


def test_structured_output(client):
    message = client.chat.completions.parse(
        model=TOOLS, messages=user(PERSON_QUESTION), response_format=Person, max_tokens=100, temperature=0,
    ).choices[0].message
    check_person(message.parsed)


def test_a_picture(client):
    picture = client.images.generate(model=IMAGES, prompt="a red boat", size="64x64", extra_body={"steps": 1})
    assert base64.b64decode(picture.data[0].b64_json).startswith(b"\x89PNG")


def test_the_models(client):
    assert TOOLS in [model.id for model in client.models.list()]
    assert client.models.retrieve(TOOLS).id == TOOLS


def test_an_unknown_model(client):
    for streamed in (False, True):
        with pytest.raises(openai.NotFoundError) as failure:
            client.chat.completions.create(model=UNKNOWN, messages=user(QUESTION), stream=streamed)
        assert failure.value.code == "model_not_found"
        assert failure.value.param == "model"
    with pytest.raises(openai.NotFoundError):
        client.models.retrieve(UNKNOWN)


def test_a_bad_value(client):
    with pytest.raises(openai.BadRequestError) as failure:
        client.chat.completions.create(model=TOOLS, messages=user(QUESTION), temperature=9)
    assert failure.value.param == "temperature"
