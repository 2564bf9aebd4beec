"""Chat as the official Python client and the wire see it. Numbers in names are those of docs/behaviours.md."""

import json
import threading

import openai
import pytest

from conftest import CHAT, TOOLS
from support.gateway import Gateway
from support.wire import stream, text_of

PROMPT = [{"role": "user", "content": "Name the capital of France in one short sentence."}]


def ask(client: openai.OpenAI, **options):
    return client.chat.completions.create(**{"model": CHAT, "messages": PROMPT, "max_tokens": 24} | options)


def test_an_answer_is_text_with_usage(client):
    answer = ask(client, temperature=0)
    assert "Paris" in answer.choices[0].message.content
    assert answer.choices[0].message.role == "assistant"
    assert answer.choices[0].finish_reason in ("stop", "length")
    assert answer.object == "chat.completion"
    assert answer.model == CHAT
    assert answer.usage.prompt_tokens > 5
    assert 0 < answer.usage.completion_tokens <= 24
    assert answer.usage.total_tokens == answer.usage.prompt_tokens + answer.usage.completion_tokens


def test_a_stream_through_the_client(client):
    pieces = [chunk.choices[0].delta.content or "" for chunk in ask(client, temperature=0, stream=True)]
    assert "Paris" in "".join(pieces)
    assert len([piece for piece in pieces if piece]) > 2, "the text comes in pieces"


def test_01_usage_is_one_chunk_before_done(gateway):
    chunks, _ = stream(gateway.port, {"model": CHAT, "messages": PROMPT, "max_tokens": 8, "stream_options": {"include_usage": True}})
    *earlier, last = chunks
    assert last["choices"] == []
    assert last["usage"]["completion_tokens"] > 0
    assert all(chunk["usage"] is None for chunk in earlier)
    assert earlier[-1]["choices"][0]["finish_reason"] is not None, "the finish comes just before the usage"


def test_01_no_usage_unless_asked(gateway):
    chunks, _ = stream(gateway.port, {"model": CHAT, "messages": PROMPT, "max_tokens": 8})
    assert all(chunk.get("usage") is None and chunk["choices"] for chunk in chunks)


def test_02_the_first_delta_has_the_role(gateway):
    chunks, _ = stream(gateway.port, {"model": CHAT, "messages": PROMPT, "max_tokens": 8})
    assert chunks[0]["choices"][0]["delta"] == {"role": "assistant", "content": ""}
    assert all(chunk["choices"][0]["delta"].get("content", "") is not None for chunk in chunks)


def test_03_one_finish_reason_and_constant_id(gateway):
    chunks, _ = stream(gateway.port, {"model": CHAT, "messages": PROMPT, "max_tokens": 8})
    reasons = [chunk["choices"][0]["finish_reason"] for chunk in chunks]
    assert [reason for reason in reasons if reason] == [reasons[-1]]
    assert len({(chunk["id"], chunk["created"], chunk["model"], chunk["object"]) for chunk in chunks}) == 1
    assert chunks[0]["object"] == "chat.completion.chunk"


@pytest.mark.parametrize("prompt", ["Write three emoji and the word naïve.", "请用中文写一句话。", "Schreibe: Äpfel, Öl, Übung"])
def test_05_streamed_text_equals_unstreamed_text(client, gateway, prompt):
    request = {"model": TOOLS, "messages": [{"role": "user", "content": prompt}], "max_tokens": 32, "seed": 7}
    ask(client, **request)  # from now on both find the same part of the prompt already evaluated
    whole = ask(client, **request).choices[0].message.content
    chunks, _ = stream(gateway.port, request)
    assert text_of(chunks) == whole
    assert "\ufffd" not in whole


@pytest.mark.parametrize("streamed", [False, True])
def test_06_a_stop_text_is_not_delivered_and_nothing_before_it_lost(client, gateway, streamed):
    free = ask(client, temperature=0, max_tokens=40).choices[0].message.content
    stop = free[len(free) // 2 : len(free) // 2 + 5]
    request = {"model": CHAT, "messages": PROMPT, "temperature": 0, "max_tokens": 40, "stop": [stop]}
    if streamed:
        chunks, _ = stream(gateway.port, request)
        text, reason = text_of(chunks), chunks[-1]["choices"][0]["finish_reason"]
    else:
        answer = ask(client, **request)
        text, reason = answer.choices[0].message.content, answer.choices[0].finish_reason
    assert text == free[: free.index(stop)]
    assert reason == "stop"


def test_06_half_of_a_stop_text_at_the_end_is_delivered(client):
    free = ask(client, temperature=0, max_tokens=6).choices[0].message.content
    stopped = ask(client, temperature=0, max_tokens=6, stop=[free[-2:] + "#never#"])
    assert stopped.choices[0].message.content == free


def test_08_three_answers(client, gateway):
    answer = ask(client, n=3, max_tokens=12, temperature=1.2, seed=3)
    assert [choice.index for choice in answer.choices] == [0, 1, 2]
    assert len({choice.message.content for choice in answer.choices}) > 1
    assert answer.usage.completion_tokens > 12, "usage counts all three"

    chunks, _ = stream(gateway.port, {"model": CHAT, "messages": PROMPT, "n": 3, "max_tokens": 6, "seed": 3})
    finishes = [choice["index"] for chunk in chunks for choice in chunk["choices"] if choice["finish_reason"]]
    assert sorted(finishes) == [0, 1, 2]
    assert all(text_of(chunks, index) for index in range(3))


def test_08_too_many_answers_are_refused(client):
    with pytest.raises(openai.BadRequestError) as failure:
        ask(client, n=100000)
    assert failure.value.body["param"] == "n"


def check_logprobs(entries: list[dict], text: str) -> None:
    assert b"".join(bytes(entry["bytes"]) for entry in entries).decode() == text
    for entry in entries:
        assert entry["logprob"] <= 0
        assert len(entry["top_logprobs"]) == 3
        best = entry["top_logprobs"][0]
        assert bytes(best["bytes"]).decode(errors="replace") == best["token"]
        assert best["logprob"] == max(top["logprob"] for top in entry["top_logprobs"])
        assert best["logprob"] == pytest.approx(entry["logprob"], abs=1e-4), "greedy takes the most probable token"


def test_09_logprobs(client, gateway):
    request = {"temperature": 0, "max_tokens": 6, "logprobs": True, "top_logprobs": 3}
    whole = ask(client, **request).choices[0]
    check_logprobs([entry.model_dump() for entry in whole.logprobs.content], whole.message.content)
    chunks, _ = stream(gateway.port, {"model": CHAT, "messages": PROMPT, **request})
    entries = [
        entry
        for chunk in chunks
        for choice in chunk["choices"]
        if choice.get("logprobs")
        for entry in choice["logprobs"]["content"]
    ]
    check_logprobs(entries, text_of(chunks))


def test_the_same_seed_gives_the_same_text(client):
    def draw(seed: int) -> str:
        return ask(client, model=TOOLS, seed=seed, temperature=1.5, max_tokens=24).choices[0].message.content

    draw(1)
    first = draw(1)
    assert draw(1) == first
    assert any(draw(seed) != first for seed in (2, 3, 4))


def test_max_tokens_ends_with_length(client):
    answer = ask(client, max_tokens=3, temperature=0)
    assert answer.usage.completion_tokens == 3
    assert answer.choices[0].finish_reason == "length"
    assert ask(client, max_tokens=openai.NOT_GIVEN, max_completion_tokens=2).usage.completion_tokens == 2


def test_a_large_logit_bias_decides_the_token(client):
    free = ask(client, temperature=0, max_tokens=1).choices[0].message.content
    texts = {ask(client, temperature=0, max_tokens=1, logit_bias={str(token): 100}).choices[0].message.content
             for token in (310, 311)}
    assert len(texts | {free}) == 3


def test_26_a_prompt_longer_than_the_context_is_refused_with_both_counts(client):
    with pytest.raises(openai.BadRequestError) as failure:
        ask(client, messages=[{"role": "user", "content": "many words " * 20000}])
    assert failure.value.body["code"] == "context_length_exceeded"
    assert len([word for word in failure.value.body["message"].split() if word.strip(".,;()").isdigit()]) >= 2


def test_several_streams_at_once_are_all_whole(gateway):
    """As many as there are slots run in one batch; each gets its own answer."""
    answers: dict[int, str] = {}

    def one(number: int) -> None:
        request = {"model": CHAT, "messages": [{"role": "user", "content": f"Count from {number}."}], "max_tokens": 32, "seed": number}
        chunks, _ = stream(gateway.port, request)
        answers[number] = text_of(chunks)

    threads = [threading.Thread(target=one, args=(number,)) for number in range(1, 7)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    assert sorted(answers) == [1, 2, 3, 4, 5, 6]
    assert all(answers.values())


def test_json_object(client):
    answer = ask(
        client,
        messages=[{"role": "user", "content": "Give me a JSON object with a name and an age."}],
        response_format={"type": "json_object"},
        max_tokens=200,
        temperature=0,
    )
    if answer.choices[0].finish_reason == "stop":
        assert isinstance(json.loads(answer.choices[0].message.content), dict)
    else:
        assert answer.choices[0].message.content.lstrip().startswith("{")
