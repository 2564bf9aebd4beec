"""openai-agents, over chat completions and over responses, its default."""

import asyncio

import openai
import pytest
from agents import (Agent, ModelSettings, OpenAIChatCompletionsModel, OpenAIResponsesModel, Runner, function_tool,
                    set_tracing_disabled)

from asks import PERSON_QUESTION, QUESTION, UNKNOWN, WEATHER_QUESTION, Person, check_person
from conftest import TOOLS

set_tracing_disabled(True)


def agents_of(kind: type, base_url: str):
    def make(name: str = TOOLS, **more) -> Agent:
        settings = ModelSettings(**{"temperature": 0, "max_tokens": 100} | more.pop("settings", {}))
        client = openai.AsyncOpenAI(base_url=base_url, api_key="unused", max_retries=0)
        return Agent(name="clerk", instructions="Be brief.", model_settings=settings,
                     model=kind(model=name, openai_client=client), **more)

    return make


@pytest.fixture(params=[OpenAIChatCompletionsModel, OpenAIResponsesModel])
def agent(request, base_url):
    return agents_of(request.param, base_url)


def test_an_answer(agent):
    assert asyncio.run(Runner.run(agent(), QUESTION)).final_output


async def conversation(agent: Agent):
    first = await Runner.run(agent, QUESTION)
    return first, await Runner.run(agent, "And of Italy?", previous_response_id=first.last_response_id)


def test_a_conversation_goes_on_from_its_id(base_url):
    first, second = asyncio.run(conversation(agents_of(OpenAIResponsesModel, base_url)()))
    assert first.final_output and second.final_output
    usage = second.context_wrapper.usage
    assert usage.input_tokens > first.context_wrapper.usage.input_tokens
    assert usage.input_tokens_details.cached_tokens > 0


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
