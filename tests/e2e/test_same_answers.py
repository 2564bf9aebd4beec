"""What a greedy answer says, and how likely each token is, to the last bit: guesses, other requests, what is reused and who
leaves change nothing (docs/performance.md, "The same prompt, the same numbers")."""

import json
from concurrent.futures import ThreadPoolExecutor

import pytest
import requests

from conftest import CHAT
from support.gateway import Gateway
from support.wire import Connection

SYSTEM = "You are a helpful assistant. You answer with lists, and you repeat the question before you answer it."
QUESTIONS = [
    "What is the capital of France?",
    "List five animals and where they live.",
    "Write a Python function that reverses a string, and then the same function again.",
    "Repeat after me: one two three four five six seven eight nine ten.",
    "Count from one to thirty.",
    "What are the differences between TCP and UDP?",
    "Name three rivers in Africa. Name three rivers in Africa. Name three rivers in Africa.",
    "Translate 'good morning, my friend' into Spanish.",
]
LONG = "Once upon a time there was a river, and it ran through every land it could find. " * 100


def body(question: str) -> dict:
    messages = [{"role": "system", "content": SYSTEM}, {"role": "user", "content": question}]
    return {"model": CHAT, "messages": messages, "max_tokens": 48, "temperature": 0, "logprobs": True}


def ask(gateway: Gateway, question: str, **fields) -> list[tuple[str, float]]:
    reply = requests.post(f"{gateway.url}/v1/chat/completions", json=body(question) | fields, timeout=120).json()
    return [(token["token"], token["logprob"]) for token in reply["choices"][0]["logprobs"]["content"]]


@pytest.fixture(scope="module")
def start(program, chat_model, logs, tmp_path_factory):
    def gateway(speculation: str) -> Gateway:
        model = {"name": CHAT, "kind": "text", "path": str(chat_model), "context": 4096, "speculation": speculation}
        configuration = tmp_path_factory.mktemp("same-answers") / "gateway.yaml"
        configuration.write_text(json.dumps({"models": [model]}))
        return Gateway(program, ["--config", str(configuration)], logs / f"same-answers-{speculation}.log")

    return gateway


@pytest.fixture(scope="module")
def alone(start) -> list[list[tuple[str, float]]]:
    """The answers of a gateway that guesses nothing, one after the other."""
    with start("off") as gateway:
        return [ask(gateway, question) for question in QUESTIONS]


def test_guesses_change_nothing(start, alone):
    with start("auto") as gateway:
        assert [ask(gateway, question) for question in QUESTIONS] == alone


def test_guesses_from_a_prediction_change_nothing(start, alone):
    """Of each prediction one half is the answer and the rest is not: some guesses are right and some are wrong."""

    def guessed(gateway: Gateway, metric: str) -> float:
        return gateway.metric(metric, model=CHAT, source="prediction")

    with start("auto") as gateway:
        for _ in range(10):  # what guesses cost and gain is learnt, so the first answers may have none
            for question, answer in zip(QUESTIONS, alone, strict=True):
                text = "".join(token for token, _ in answer)
                prediction = {"type": "content", "content": text[: len(text) // 2] + " and so on, and so on."}
                assert ask(gateway, question, prediction=prediction) == answer
            accepted = guessed(gateway, "worker_draft_tokens_accepted_total")
            if 0 < accepted < guessed(gateway, "worker_draft_tokens_total"):
                return
    raise AssertionError("nothing was guessed, or nothing right, or nothing wrong")


def test_what_is_reused_changes_nothing(start, alone):
    with start("off") as gateway:
        for _ in range(2):
            assert [ask(gateway, question) for question in reversed(QUESTIONS)] == alone[::-1]


def test_requests_beside_each_other_change_nothing_and_neither_does_one_that_leaves(start, alone):
    with start("auto") as gateway, ThreadPoolExecutor(len(QUESTIONS)) as threads:
        leaving = Connection(gateway.port)
        leaving.send("POST", "/v1/chat/completions", body(LONG) | {"stream": True})
        answers = threads.map(lambda question: ask(gateway, question), QUESTIONS)
        first = next(answers)
        leaving.close()
        assert [first, *answers] == alone
