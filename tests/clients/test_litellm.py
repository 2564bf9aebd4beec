"""litellm, by both of its ways to this server: as an OpenAI-compatible one and as Anthropic's."""

import json

import litellm
import pytest

from asks import PERSON_QUESTION, QUESTION, UNKNOWN, WEATHER_QUESTION, WEATHER_SCHEMA, Person, check_person
from conftest import TOOLS

TOOL = {"type": "function", "function": {"name": "get_weather", "description": "The weather in a city now.",
                                         "parameters": WEATHER_SCHEMA}}


@pytest.fixture(params=["openai", "anthropic"])
def complete(request, gateway):
    provider = request.param
    base = {"openai": f"{gateway.url}/v1", "anthropic": gateway.url}[provider]

    def complete(text: str, model: str = TOOLS, **more):
        return litellm.completion(
            model=f"{provider}/{model}", api_base=base, api_key="unused", num_retries=0, temperature=0,
            messages=[{"role": "user", "content": text}], **{"max_tokens": 24} | more)

    return complete


def test_an_answer(complete):
    answer = complete(QUESTION)
    assert answer.choices[0].message.content
    assert answer.usage.prompt_tokens > 10


def test_a_stream(complete):
    chunks = list(complete(QUESTION, stream=True))
    text = "".join(chunk.choices[0].delta.content or "" for chunk in chunks)
    assert text == complete(QUESTION).choices[0].message.content


def test_a_tool_call(complete):
    choice = complete(WEATHER_QUESTION, tools=[TOOL], tool_choice="required", max_tokens=80).choices[0]
    assert choice.finish_reason == "tool_calls"
    assert json.loads(choice.message.tool_calls[0].function.arguments)["city"]


def test_structured_output(complete):
    answer = complete(PERSON_QUESTION, response_format=Person, max_tokens=120)
    check_person(Person.model_validate_json(answer.choices[0].message.content))


def test_an_unknown_model(complete):
    with pytest.raises(litellm.NotFoundError):
        complete(QUESTION, model=UNKNOWN)
