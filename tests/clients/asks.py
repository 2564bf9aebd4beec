"""What the client libraries, unchanged but for their base URL, are asked: an answer, a stream, a tool call, an answer in
a form, and a mistake that has to come back as the exception their users catch.

The model is small: what it says is not judged, only that it is said in the form that was asked for. `./dev test clients`
installs the libraries (requirements.txt, node/package-lock.json, java/pom.xml) and runs this folder.
"""

from pydantic import BaseModel, Field

QUESTION = "Name the capital of France in one short sentence."
WEATHER_QUESTION = "What is the weather in Oslo?"
PERSON_QUESTION = "Describe Ada Lovelace, who was 36 years old, as JSON."
UNKNOWN = "gpt-9"


class Person(BaseModel):
    """A person."""

    name: str = Field(max_length=40)
    age: int = Field(ge=0, le=150)


WEATHER_SCHEMA = {
    "type": "object",
    "properties": {"city": {"type": "string", "maxLength": 40}},
    "required": ["city"],
    "additionalProperties": False,
}


def check_person(person: Person) -> None:
    assert isinstance(person, Person)
    assert 0 <= person.age <= 150
