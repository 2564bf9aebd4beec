"""langchain-openai."""

import openai
import pytest
from langchain_core.messages import HumanMessage, ToolMessage
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI

from asks import PERSON_QUESTION, QUESTION, UNKNOWN, WEATHER_QUESTION, Person, check_person
from conftest import TOOLS


@tool
def get_weather(city: str) -> str:
    """The weather in a city now."""
    return f"21 degrees in {city}"


@pytest.fixture
def model(base_url):
    def make(name: str = TOOLS, **more) -> ChatOpenAI:
        return ChatOpenAI(model=name, base_url=base_url, api_key="unused", temperature=0, max_retries=0,
                          **{"max_tokens": 40} | more)

    return make


def test_an_answer(model):
    answer = model().invoke(QUESTION)
    assert answer.content
    assert answer.usage_metadata["input_tokens"] > 10


def test_a_stream(model):
    pieces = list(model(stream_usage=True).stream(QUESTION))
    assert "".join(piece.content for piece in pieces) == model().invoke(QUESTION).content
    assert sum((piece.usage_metadata or {}).get("output_tokens", 0) for piece in pieces) > 1


def test_a_tool_call_and_its_result(model):
    question = HumanMessage(WEATHER_QUESTION)
    call = model(max_tokens=80).bind_tools([get_weather], tool_choice="get_weather").invoke([question])
    assert call.tool_calls[0]["name"] == "get_weather"
    result = get_weather.invoke(call.tool_calls[0])
    assert isinstance(result, ToolMessage)
    assert model().invoke([question, call, result]).content


@pytest.mark.parametrize("method", ["json_schema", "function_calling", "json_mode"])
def test_structured_output(model, method):
    asked = PERSON_QUESTION if method != "json_mode" else PERSON_QUESTION + ' Only the keys "name" and "age".'
    if method == "json_mode":
        answer = model(max_tokens=200).with_structured_output(None, method=method).invoke(asked)
        assert isinstance(answer, dict)
    else:
        check_person(model(max_tokens=200).with_structured_output(Person, method=method).invoke(asked))


def test_an_unknown_model(model):
    with pytest.raises(openai.NotFoundError):
        model(UNKNOWN).invoke(QUESTION)
