"""pydantic-ai, over OpenAI's client and over Anthropic's."""

import asyncio

import pytest
from pydantic_ai import Agent, NativeOutput
from pydantic_ai.exceptions import ModelHTTPError
from pydantic_ai.models.anthropic import AnthropicModel
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.anthropic import AnthropicProvider
from pydantic_ai.providers.openai import OpenAIProvider

from asks import PERSON_QUESTION, QUESTION, UNKNOWN, WEATHER_QUESTION, Person, check_person
from conftest import TOOLS

SETTINGS = {"temperature": 0, "max_tokens": 120}


@pytest.fixture(params=["openai", "anthropic"])
def model(request, gateway):
    def make(name: str = TOOLS):
        if request.param == "openai":
            return OpenAIChatModel(name, provider=OpenAIProvider(base_url=f"{gateway.url}/v1", api_key="unused"))
        from anthropic import AsyncAnthropic

        client = AsyncAnthropic(base_url=gateway.url, api_key="unused", max_retries=0)
        return AnthropicModel(name, provider=AnthropicProvider(anthropic_client=client))

    return make


def test_an_answer(model):
    answer = Agent(model(), model_settings=SETTINGS).run_sync(QUESTION)
    assert answer.output
    assert answer.usage.input_tokens > 10


async def streamed(agent: Agent) -> list[str]:
    async with agent.run_stream(QUESTION) as answer:
        return [piece async for piece in answer.stream_text(delta=True, debounce_by=None)]


def test_a_stream(model):
    pieces = asyncio.run(streamed(Agent(model(), model_settings=SETTINGS)))
    assert len(pieces) > 1


def test_a_form_through_a_forced_tool(model):
    check_person(Agent(model(), output_type=Person, model_settings=SETTINGS).run_sync(PERSON_QUESTION).output)


def test_a_form_of_the_answer(gateway):
    over_openai = OpenAIChatModel(TOOLS, provider=OpenAIProvider(base_url=f"{gateway.url}/v1", api_key="unused"))
    agent = Agent(over_openai, output_type=NativeOutput(Person), model_settings=SETTINGS)
    check_person(agent.run_sync(PERSON_QUESTION).output)


def test_tools_are_offered(model):
    agent = Agent(model(), model_settings=SETTINGS)

    @agent.tool_plain
    def get_weather(city: str) -> str:
        """The weather in a city now."""
        return f"21 degrees in {city}"

    assert agent.run_sync(WEATHER_QUESTION).output


def test_an_unknown_model(model):
    with pytest.raises(ModelHTTPError) as failure:
        Agent(model(UNKNOWN)).run_sync(QUESTION)
    assert failure.value.status_code == 404
