"""Behaviours 12 to 14: what a schema says holds in the answer, or the schema is refused; no schema ends a worker.

Answers are judged by a validator of another author.
"""

import copy
import json
import random
from concurrent.futures import ThreadPoolExecutor

import jsonschema
import pytest
from jsonschema import Draft202012Validator, FormatChecker

from conftest import CHAT
from support.wire import Connection

NAME = {"type": "string", "maxLength": 8}
SMALL = {"type": "integer", "minimum": -5, "maximum": 5}


def closed(required: list[str] | None = None, **properties: dict) -> dict:
    return {"type": "object", "properties": properties, "required": list(properties) if required is None else required,
            "additionalProperties": False}


def some_schemas() -> list[dict]:
    """A hundred: leaves of every kind, alone and inside objects, arrays, unions, references and recursions."""
    leaves = [
        NAME, SMALL, {"type": "boolean"}, {"type": "null"}, {"enum": ["red", "green", 3, None]}, {"const": {"a": [1, "b"]}},
        {"type": "integer", "minimum": 1000, "maximum": 1010}, {"type": "integer", "exclusiveMinimum": 0, "exclusiveMaximum": 3},
        {"type": ["integer", "null"], "minimum": 0, "maximum": 9}, {"type": "string", "format": "date"},
        {"type": "string", "format": "date-time"}, {"type": "string", "format": "uuid"}, {"type": "string", "format": "ipv4"},
        {"type": "string", "format": "email"}, {"type": "string", "pattern": "^[A-Z]{2}-\\d{3}$"},
        {"type": "string", "pattern": "^(cat|dog)s?$"}, {"type": "string", "pattern": "^.{2,6}$"},
        {"type": "string", "minLength": 3, "maxLength": 5}, {"type": "string", "enum": ["a\"b", "c\\d", "é\n"]},
        {"type": "number", "minimum": -1, "exclusiveMaximum": 1},
    ]
    schemas = [closed(value=leaf) for leaf in leaves]
    schemas += [{"type": "array", "items": leaf, "minItems": 1, "maxItems": 2} for leaf in leaves]
    schemas += [closed(["first"], first=leaf, second=leaves[(at + 3) % len(leaves)]) for at, leaf in enumerate(leaves)]
    schemas += [{"anyOf": [closed(kind={"const": "leaf"}, value=leaf), closed(kind={"const": "none"})]} for leaf in leaves]
    node = closed(value=SMALL, next={"anyOf": [{"$ref": "#/$defs/node"}, {"type": "null"}]})
    tree = closed(name=NAME, children={"type": "array", "items": {"$ref": "#/$defs/tree"}, "maxItems": 2})
    for at in range(10):
        schemas.append({"$defs": {"node": node}, **closed(root={"$ref": "#/$defs/node"}, leaf=leaves[at])})
    for at in range(5):
        schemas.append({"$defs": {"tree": tree}, **closed(trees={"type": "array", "items": {"$ref": "#/$defs/tree"}, "maxItems": at})})
    for at in range(5):
        schemas.append({"type": "array", "prefixItems": [leaves[at], leaves[at + 1]], "minItems": 2, "maxItems": 2})
    assert len(schemas) == 100
    return schemas


def ask(port: int, schema: dict, tokens: int = 200, seed: int = 1) -> tuple[int, dict]:
    body = {"model": CHAT, "messages": [{"role": "user", "content": "Answer with short JSON."}], "max_tokens": tokens,
            "temperature": 0.8, "seed": seed,
            "response_format": {"type": "json_schema", "json_schema": {"name": "answer", "schema": schema, "strict": True}}}
    with Connection(port) as connection:
        answer = connection.ask("POST", "/v1/chat/completions", body)
        return connection.status, json.loads(answer)


def test_13_a_hundred_schemas_hold(gateway):
    schemas = some_schemas()
    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda numbered: ask(gateway.port, numbered[1], seed=numbered[0]), enumerate(schemas)))
    complete = 0
    for schema, (status, answer) in zip(schemas, answers):
        assert status == 200, (schema, answer)
        choice = answer["choices"][0]
        if choice["finish_reason"] == "stop":
            complete += 1
            value = json.loads(choice["message"]["content"])
            Draft202012Validator(schema, format_checker=FormatChecker()).validate(value)
    assert complete >= 75, "most of them have room to end"


@pytest.mark.parametrize("schema, path", [
    (closed(age={"type": "integer", "multipleOf": 5}), ".properties.age.multipleOf"),
    ({"type": "array", "items": {"type": "string"}, "uniqueItems": True}, ".uniqueItems"),
    (closed(a={"type": "string", "pattern": "^(?=b)b$"}), ".properties.a.pattern"),
    ({"anyOf": [{"type": "string"}, {"not": {"type": "null"}}]}, ".anyOf[1].not"),
    ({"type": "object", "properties": {"a": {}}, "required": ["b"]}, ".required[0]"),
    (closed(a={"$ref": "#/$defs/nowhere"}), ".properties.a"),
    (closed(a={"type": "strnig"}), ".properties.a"),
], ids=lambda value: value if isinstance(value, str) else "")
def test_12_what_cannot_be_enforced_is_named_with_its_path(gateway, schema, path):
    status, answer = ask(gateway.port, schema)
    assert status == 400
    assert answer["error"]["param"] == "response_format.json_schema.schema" + path


def spoiled(schema: dict, random_: random.Random):
    schema = copy.deepcopy(schema)
    for _ in range(random_.randint(1, 3)):
        places = []

        def visit(value):
            for key, child in (value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()):
                places.append((value, key))
                visit(child)

        visit(schema)
        if not places:
            return schema
        place, key = random_.choice(places)
        place[key] = random_.choice([
            None, True, -1, 2**70, 1e300, "", "x" * 300, [], {}, [[]], "#/$defs/node", {"$ref": "#"}, {"pattern": "((((["},
            {"type": "string", "minLength": 10**9}, {"type": "array", "minItems": 10**9}, {"enum": []}, "^[z-a]{9,1}$",
            {"anyOf": [{}] * 40}, {"type": "integer", "minimum": 9, "maximum": -9}])
    return schema


def test_14_mutated_schemas_and_grammars_leave_the_worker_alive(gateway):
    random_ = random.Random(14)
    schemas = some_schemas()
    before = gateway.workers()[CHAT].pid
    grammars = ['root ::= "a" | [b-d]{1,3} other\nother ::= [^"\\\\]* root?']
    for number in range(600):
        if number % 3 == 0:
            text = bytearray(grammars[0].encode())
            for _ in range(random_.randint(1, 4)):
                text[random_.randrange(len(text))] = random_.choice(b'abr()[]{}|?*+"\\^-:= \n0123456789')
            body = {"model": CHAT, "messages": [{"role": "user", "content": "hi"}], "max_tokens": 2,
                    "grammar": text.decode(errors="replace")}
            with Connection(gateway.port) as connection:
                answer = connection.ask("POST", "/v1/chat/completions", body)
                status = connection.status
        else:
            status, answer = ask(gateway.port, spoiled(random_.choice(schemas), random_), tokens=2)
        assert status == 200 or 400 <= status < 500, (number, answer)
    assert gateway.workers()[CHAT].pid == before


def test_the_validator_judges(gateway):
    """The validator does say no."""
    with pytest.raises(jsonschema.ValidationError):
        Draft202012Validator({"type": "string", "format": "ipv4"}, format_checker=FormatChecker()).validate("300.0.0.1")
