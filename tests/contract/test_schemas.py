"""Behaviours 12 to 14: what a schema says holds in the answer, or the schema is refused; no schema ends a worker.

Answers are judged by a validator of another author.
"""

import json
import random
from concurrent.futures import ThreadPoolExecutor

import jsonschema
import pytest
from jsonschema import Draft202012Validator, FormatChecker

from conftest import CHAT
from support.schemas import closed, more_schemas, some_schemas, spoiled
from support.wire import Connection


def ask(port: int, schema: dict, tokens: int = 200, seed: int = 1) -> tuple[int, dict]:
    body = {"model": CHAT, "messages": [{"role": "user", "content": "Answer with short JSON."}], "max_tokens": tokens,
            "temperature": 0.8, "seed": seed,
            "response_format": {"type": "json_schema", "json_schema": {"name": "answer", "schema": schema}}}
    with Connection(port) as connection:
        answer = connection.ask("POST", "/v1/chat/completions", body)
        return connection.status, json.loads(answer)


def test_13_more_than_a_hundred_schemas_hold(gateway):
    schemas = some_schemas() + more_schemas()
    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda numbered: ask(gateway.port, numbered[1], seed=numbered[0]), enumerate(schemas)))
    complete = 0
    for schema, (status, answer) in zip(schemas, answers):
        assert status == 200, (schema, answer)
        choice = answer["choices"][0]
        if choice["finish_reason"] == "stop":
            complete += 1
            value = json.loads(choice["message"]["content"])
            validator = jsonschema.validators.validator_for(schema, default=Draft202012Validator)
            validator(schema, format_checker=validator.FORMAT_CHECKER).validate(value)
    assert complete >= 110, "most of them have room to end"


@pytest.mark.parametrize("schema, path", [
    (closed(age={"type": "integer", "not": {"const": 5}}), ".properties.age.not"),
    ({"type": "array", "items": {"type": "string"}, "uniqueItems": True}, ".uniqueItems"),
    (closed(a={"type": "string", "pattern": "(b)\\1"}), ".properties.a.pattern"),
    ({"anyOf": [{"type": "string"}, {"not": {"type": "null"}}]}, ".anyOf[1].not"),
    ({"oneOf": [{"type": "string"}, {"minLength": 3}]}, ".oneOf"),
    (closed(a={"$ref": "#/$defs/nowhere"}), ".properties.a.$ref"),
    (closed(a={"type": "strnig"}), ".properties.a.type"),
    (closed(a={"type": "integer", "minimum": 3, "maximum": 2}), ".properties.a.maximum"),
], ids=lambda value: value if isinstance(value, str) else "")
def test_12_what_cannot_be_enforced_is_named_with_its_path(gateway, schema, path):
    status, answer = ask(gateway.port, schema)
    assert status == 400
    assert answer["error"]["param"] == "response_format.json_schema.schema" + path


def sent(port: int, body: dict) -> tuple[int, bytes]:
    with Connection(port) as connection:
        answer = connection.ask("POST", "/v1/chat/completions", body)
        return connection.status, answer


def question(**fields) -> dict:
    return {"model": CHAT, "messages": [{"role": "user", "content": "hi"}], "max_tokens": 1, "temperature": 0.5} | fields


def with_spoiled_schema(schema: dict, random_: random.Random) -> dict:
    form = {"name": "answer", "schema": spoiled(schema, random_), "strict": random_.random() < 0.1}
    return question(response_format={"type": "json_schema", "json_schema": form})


def spoiled_anywhere(schema: dict, random_: random.Random) -> dict:
    if random_.random() < 0.3:
        text = bytearray('root ::= "a" | [b-d]{1,3} other\nother ::= [^"\\\\]* root?'.encode())
        for _ in range(random_.randint(1, 4)):
            text[random_.randrange(len(text))] = random_.choice(b'abr()[]{}|?*+"\\^-:= \n0123456789')
        return question(grammar=text.decode(errors="replace"))
    tool = {"name": "call", "description": "c", "parameters": closed(a=schema), "strict": random_.random() < 0.5}
    body = question(tools=[{"type": "function", "function": tool}], tool_choice="auto", n=1, stop=["x"], logit_bias={"5": 1}, seed=1)
    return spoiled(body, random_) | {"model": CHAT, "max_tokens": 1, "stream": False}


@pytest.mark.parametrize("make", [with_spoiled_schema, spoiled_anywhere])
def test_14_ten_thousand_mutated_requests_leave_the_worker_alive(gateway, make):
    before = gateway.workers()[CHAT].pid
    random_ = random.Random(14)
    schemas = some_schemas() + more_schemas()
    bodies = [make(random_.choice(schemas), random_) for _ in range(10000)]
    with ThreadPoolExecutor(4) as pool:
        answers = pool.map(lambda body: sent(gateway.port, body), bodies)
        for body, (status, answer) in zip(bodies, answers, strict=True):
            assert status == 200 or 400 <= status < 500, (body, answer)
    assert gateway.workers()[CHAT].pid == before


def test_the_validator_judges(gateway):
    """The validator does say no."""
    with pytest.raises(jsonschema.ValidationError):
        Draft202012Validator({"type": "string", "format": "ipv4"}, format_checker=FormatChecker()).validate("300.0.0.1")
