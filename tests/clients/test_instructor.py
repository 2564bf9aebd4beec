"""instructor, over OpenAI's client and over Anthropic's."""

import anthropic
import instructor
import openai
import pytest
from instructor.core.exceptions import InstructorRetryException

from asks import PERSON_QUESTION, UNKNOWN, Person, check_person
from conftest import TOOLS


def over_openai(gateway, mode: instructor.Mode):
    client = openai.OpenAI(base_url=f"{gateway.url}/v1", api_key="unused", max_retries=0)
    return instructor.from_openai(client, mode=mode)


def over_anthropic(gateway, mode: instructor.Mode):
    client = anthropic.Anthropic(base_url=gateway.url, api_key="unused", max_retries=0)
    return instructor.from_anthropic(client, mode=mode)


def ask(client, model: str = TOOLS, **more):
    return client.chat.completions.create(
        model=model, messages=[{"role": "user", "content": PERSON_QUESTION}], response_model=Person, max_tokens=120,
        temperature=0, max_retries=0, **more)


@pytest.mark.parametrize("mode", ["TOOLS", "TOOLS_STRICT", "JSON_SCHEMA"])
def test_a_person_from_openais_client(gateway, mode):
    check_person(ask(over_openai(gateway, instructor.Mode[mode])))


def test_a_person_from_anthropics_client(gateway):
    check_person(ask(over_anthropic(gateway, instructor.Mode.ANTHROPIC_TOOLS)))


def test_a_person_that_grows_in_a_stream(gateway):
    client = over_openai(gateway, instructor.Mode.JSON_SCHEMA)
    people = list(client.chat.completions.create_partial(
        model=TOOLS, messages=[{"role": "user", "content": PERSON_QUESTION}], response_model=Person, max_tokens=120,
        temperature=0))
    assert len(people) > 1
    assert people[-1].name is not None and 0 <= people[-1].age <= 150


def test_an_unknown_model(gateway):
    with pytest.raises((openai.NotFoundError, InstructorRetryException), match="does not exist"):
        ask(over_openai(gateway, instructor.Mode.TOOLS), model=UNKNOWN)
