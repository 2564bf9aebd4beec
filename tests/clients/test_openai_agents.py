"""openai-agents, over chat completions."""

import asyncio

import openai
import pytest
from agents import Agent, ModelSettings, OpenAIChatCompletionsModel, Runner, function_tool, set_tracing_disabled

from asks import PERSON_QUESTION, QUESTION, UNKNOWN, WEATHER_QUESTION, Person, check_person
from conftest import TOOLS

set_tracing_disabled(True)


@pytest.fixture
def agent(base_url):
    def make(name: str = TOOLS, **more) -> Agent:
        settings = ModelSettings(**{"temperature": 0, "max_tokens": 100} | more.pop("settings", {}))
        client = openai.AsyncOpenAI(base_url=base_url, api_key="unused", max_retries=0)
        return Agent(name="clerk", instructions="Be brief.", model_settings=settings,
                     model=OpenAIChatCompletionsModel(model=name, openai_client=client), **more)

    return make


def test_an_answer(agent):
    assert asyncio.run(Runner.run(agent(), QUESTION)).final_output


async def streamed(agent: Agent) -> tuple[list[str], str]:
    run = Runner.run_streamed(agent, QUESTION)
    pieces = [event.data.delta async for event in run.stream_events()
              if event.type == "raw_response_event" and event.data.type == "response.output_text.delta"]
    return pieces, run.final_output


def test_a_stream(agent):
    pieces, whole = asyncio.run(streamed(agent()))
    assert len(pieces) > 1
    assert "".join(pieces) == whole


def test_a_tool_is_run(agent):
    asked = []

    @function_tool
    def get_weather(city: str) -> str:
        """The weather in a city now."""
        asked.append(city)
        return f"21 degrees in {city}"

    run = Runner.run(agent(tools=[get_weather], settings={"tool_choice": "required"}), WEATHER_QUESTION, max_turns=6)
    assert asyncio.run(run).final_output is not None
    assert asked and asked[0]


def test_structured_output(agent):
    check_person(asyncio.run(Runner.run(agent(output_type=Person), PERSON_QUESTION)).final_output)


def test_an_unknown_model(agent):
    with pytest.raises(openai.NotFoundError):
        asyncio.run(Runner.run(agent(UNKNOWN), QUESTION))
