"""Conversations with models whose memory is a running state, or forgets: what a later turn reuses, and that it changes
nothing. The models are small and made here, with random weights."""

import json

import pytest
import requests

from support import tiny_models
from support.gateway import Gateway

KINDS = {
    "recurrent": tiny_models.recurrent,
    "hybrid": tiny_models.hybrid,
    "sliding-window": tiny_models.sliding_window,
}
SYSTEM = "You answer in short and plain sentences, and you never speak of the weather, whatever somebody asks you. " * 4
QUESTIONS = ["Where do rivers begin?", "And where do they end?", "Which of them is the longest?"]


@pytest.fixture(scope="module", params=KINDS)
def settings(request, chat_model, tmp_path_factory) -> dict:
    file = KINDS[request.param](tmp_path_factory.mktemp(request.param) / "model.gguf", chat_model)
    return {"models": [{"name": request.param, "kind": "text", "path": str(file), "context": 2048}]}


@pytest.fixture
def start(settings, program, logs, tmp_path):
    """Starts a gateway that knows nothing yet."""
    configuration = tmp_path / "gateway.yaml"
    configuration.write_text(json.dumps(settings))
    log = logs / f"memory-{settings['models'][0]['name']}.log"
    return lambda: Gateway(program, ["--config", str(configuration)], log)


def ask(gateway: Gateway, model: str, messages: list[dict]) -> tuple[str, int]:
    """The answer, and how many tokens of the prompt were not evaluated for it."""
    body = {"model": model, "messages": messages, "max_tokens": 24, "temperature": 0}
    reply = requests.post(f"{gateway.url}/v1/chat/completions", json=body, timeout=120).json()
    details = reply["usage"]["prompt_tokens_details"]
    return reply["choices"][0]["message"]["content"], details["cached_tokens"]


def turns(gateway: Gateway, model: str, answers: list[str], first: str = SYSTEM) -> list[tuple[str, int]]:
    """Goes through a conversation in which the assistant has said `answers`."""
    messages = [{"role": "system", "content": first}]
    heard = []
    for question, answer in zip(QUESTIONS, answers):
        messages.append({"role": "user", "content": question})
        heard.append(ask(gateway, model, messages))
        messages.append({"role": "assistant", "content": answer})
    return heard


def test_later_turns_begin_where_the_last_one_ended_and_answer_as_if_nothing_was_reused(settings, start):
    model = settings["models"][0]["name"]
    said = ["In mountains.", "In the sea.", ""]
    alone = []
    for turn in range(len(QUESTIONS)):
        with start() as gateway:
            messages = [{"role": "system", "content": SYSTEM}]
            for question, answer in zip(QUESTIONS[:turn], said):
                messages += [{"role": "user", "content": question}, {"role": "assistant", "content": answer}]
            alone.append(ask(gateway, model, [*messages, {"role": "user", "content": QUESTIONS[turn]}]))
    with start() as gateway:
        heard = turns(gateway, model, said)
        again = turns(gateway, model, said)
    assert [cached for _, cached in alone] == [0, 0, 0]
    assert [answer for answer, _ in heard] == [answer for answer, _ in alone]
    assert [answer for answer, _ in again] == [answer for answer, _ in alone]
    cached = [cached for _, cached in heard]
    assert cached[0] == 0 and cached[1] > 60 and cached[2] > cached[1], cached


def test_a_third_conversation_begins_where_two_others_parted(settings, start):
    model = settings["models"][0]["name"]
    with start() as gateway:
        cached = []
        for question in QUESTIONS:
            messages = [{"role": "system", "content": SYSTEM}, {"role": "user", "content": question}]
            cached.append(ask(gateway, model, messages)[1])
    assert cached[2] > 60, cached
