"""llama-index with its client for OpenAI-like servers."""

import openai
import pytest
from llama_index.core.llms import ChatMessage
from llama_index.core.prompts import PromptTemplate
from llama_index.core.tools import FunctionTool
from llama_index.llms.openai_like import OpenAILike

from asks import PERSON_QUESTION, QUESTION, UNKNOWN, WEATHER_QUESTION, Person, check_person
from conftest import TOOLS


def get_weather(city: str) -> str:
    """The weather in a city now."""
    return f"21 degrees in {city}"


@pytest.fixture
def model(base_url):
    def make(name: str = TOOLS, **more) -> OpenAILike:
        return OpenAILike(model=name, api_base=base_url, api_key="unused", is_chat_model=True,
                          is_function_calling_model=True, temperature=0, max_retries=0, **{"max_tokens": 40} | more)

    return make


def test_an_answer(model):
    assert model().chat([ChatMessage(role="user", content=QUESTION)]).message.content


def test_a_stream(model):
    pieces = [piece.delta for piece in model().stream_chat([ChatMessage(role="user", content=QUESTION)])]
    assert len(pieces) > 1
    assert "".join(piece or "" for piece in pieces)


def test_a_tool_call(model):
    llm = model(max_tokens=80)
    tool = FunctionTool.from_defaults(get_weather)
    answer = llm.chat_with_tools([tool], user_msg=WEATHER_QUESTION, tool_required=True)
    call = llm.get_tool_calls_from_response(answer)[0]
    assert call.tool_name == "get_weather"
    assert call.tool_kwargs["city"]


def test_structured_output(model):
    check_person(model(max_tokens=120).structured_predict(Person, PromptTemplate(PERSON_QUESTION)))


def test_an_unknown_model(model):
    with pytest.raises(openai.NotFoundError):
        model(UNKNOWN).chat([ChatMessage(role="user", content=QUESTION)])
