"""Behaviour 13 without a model: whatever the grammar of a schema accepts, a validator of another author accepts too.

Texts are drawn from the grammars by chance, and changed a little: what the validator then refuses the grammar must refuse.
"""

import json
import random
import subprocess
from pathlib import Path

import jsonschema_rs
import pytest

from support.schemas import LEAVES, more_schemas, some_schemas, spoiled


class Sampler:
    """tests/schemas/main.cpp, which uses the text worker's own code."""

    def __init__(self, program: Path):
        self.process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8")

    def ask(self, schema, **question) -> dict:
        self.process.stdin.write(json.dumps({"schema": schema} | question) + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        assert answer, f"it died of {json.dumps(schema)}"
        return json.loads(answer)

    def close(self) -> int:
        self.process.stdin.close()
        return self.process.wait()


@pytest.fixture(scope="module")
def sampler(scripted_build: Path):
    running = Sampler(scripted_build / "test-bin/schema-sampler")
    yield running
    assert running.close() == 0


def validator(schema):
    return jsonschema_rs.validator_for(schema, validate_formats=True)


def changed(text: str, random_: random.Random) -> str:
    letters = list(text)
    for _ in range(random_.randint(1, 2)):
        at = random_.randrange(len(letters) + 1)
        letter = random_.choice("0123456789.-eE\"\\{}[],: abcxyzABCntu_#@/é")
        match random_.randint(0, 3):
            case 0:
                letters.insert(at, letter)
            case 1 if letters:
                del letters[min(at, len(letters) - 1)]
            case 2 if letters:
                letters[min(at, len(letters) - 1)] = letter
            case _ if letters:
                other = random_.randrange(len(letters))
                at = min(at, len(letters) - 1)
                letters[at], letters[other] = letters[other], letters[at]
    return "".join(letters)


def judged(text: str, valid) -> bool:
    try:
        return valid.is_valid(json.loads(text))
    except ValueError:
        return False


@pytest.mark.parametrize("schema", some_schemas() + more_schemas(), ids=lambda schema: json.dumps(schema)[:60])
def test_13_texts_of_a_grammar_fit_its_schema(sampler, schema):
    valid = validator(schema)
    drawn = sampler.ask(schema, seed=13, count=25)
    assert "message" not in drawn, drawn
    assert drawn["dead_ends"] == 0
    assert len(drawn["texts"]) >= 5
    for text in drawn["texts"]:
        valid.validate(json.loads(text))
    random_ = random.Random(13)
    near = [changed(text, random_) for text in drawn["texts"] for _ in range(8)]
    accepted = sampler.ask(schema, texts=near)["accepted"]
    for text, yes in zip(near, accepted, strict=True):
        assert not yes or judged(text, valid), text
    refused = [text for text, yes in zip(near, accepted, strict=True) if not yes]
    assert refused or schema == {}, "changes like these are noticed"


def test_13_every_value_of_a_finite_schema_can_be_written(sampler):
    cases = [
        ({"type": "integer", "minimum": -120, "maximum": 1030, "multipleOf": 3}, [n for n in range(-130, 1050)]),
        ({"type": "string", "pattern": "^[ab]{1,3}$", "minLength": 2}, ["a", "ab", "ba", "aab", "bbb", "abab", "c", ""]),
        ({"type": "array", "items": {"enum": [1, 2]}, "maxItems": 2}, [[], [1], [2, 1], [1, 1, 1], [3], {}]),
        ({"anyOf": [{"type": "boolean"}, {"const": "x"}]}, [True, False, "x", "y", None]),
    ]
    for schema, values in cases:
        valid = validator(schema)
        accepted = sampler.ask(schema, texts=[json.dumps(value) for value in values])["accepted"]
        assert accepted == [valid.is_valid(value) for value in values], schema


def test_14_ten_thousand_spoiled_schemas_give_grammars_or_faults(sampler):
    random_ = random.Random(14)
    schemas = some_schemas() + more_schemas() + LEAVES
    outcomes = {"grammar": 0, "fault": 0}
    for number in range(10000):
        schema = spoiled(random_.choice(schemas), random_)
        answer = sampler.ask(schema, left_out=number % 2 == 1)
        if "message" in answer:
            outcomes["fault"] += 1
            continue
        outcomes["grammar"] += 1
        assert answer["grammar_bytes"] < 4_000_000, schema
    assert min(outcomes.values()) > 1000, outcomes
