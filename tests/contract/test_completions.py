"""/v1/completions with real models, through the official client."""

import concurrent.futures

import openai
import pytest

from conftest import CHAT, TOOLS

PROMPT = "The capital of France is"


def complete(client: openai.OpenAI, **options):
    return client.completions.create(**{"model": CHAT, "prompt": PROMPT, "max_tokens": 8, "temperature": 0} | options)


def refused(client: openai.OpenAI, **options) -> str:
    with pytest.raises(openai.BadRequestError) as error:
        complete(client, **options)
    return error.value.param


@pytest.fixture(scope="module")
def tokens(client) -> list[int]:
    return client.post("/../tokenize", cast_to=object, body={"model": CHAT, "content": PROMPT})["tokens"]


def test_an_answer_is_text_with_usage(client):
    answer = complete(client)
    assert "Paris" in answer.choices[0].text
    assert answer.object == "text_completion"
    assert answer.choices[0].finish_reason == "length"
    assert answer.usage.completion_tokens == 8
    assert answer.usage.total_tokens == answer.usage.prompt_tokens + 8


def test_sixteen_tokens_are_the_default(client):
    answer = client.completions.create(model=CHAT, prompt=PROMPT, extra_body={"ignore_eos": True})
    assert answer.usage.completion_tokens == 16


def test_text_and_its_tokens_are_one_prompt(client, tokens):
    texts = {complete(client, prompt=prompt).choices[0].text for prompt in (PROMPT, tokens, [PROMPT], [tokens])}
    assert len(texts) == 1


def test_several_prompts_are_answered_in_their_order(client):
    prompts = [PROMPT, "One, two, three,", "The opposite of hot is", "Roses are red,", "def add(a, b):"]
    alone = [complete(client, prompt=prompt).choices[0].text for prompt in prompts]
    together = complete(client, prompt=prompts * 3)
    assert [choice.index for choice in together.choices] == list(range(15))
    assert [choice.text for choice in together.choices] == alone * 3
    assert together.usage.completion_tokens == 15 * 8


def test_a_stream_of_several_prompts_and_answers(client):
    options = {"prompt": [PROMPT, "One, two, three,"], "n": 2, "temperature": 1, "seed": 5}
    whole = complete(client, **options)
    texts, reasons, usages = ["", "", "", ""], {}, []
    for event in complete(client, **options, stream=True, stream_options={"include_usage": True}):
        usages.append(event.usage)
        for choice in event.choices:
            texts[choice.index] += choice.text
            if choice.finish_reason:
                assert choice.index not in reasons
                reasons[choice.index] = choice.finish_reason
    assert texts == [choice.text for choice in whole.choices]
    assert sorted(reasons) == [0, 1, 2, 3]
    assert usages[-1].completion_tokens == whole.usage.completion_tokens
    assert not any(usages[:-1])


def test_echo_and_stop(client):
    answer = complete(client, prompt="One, two, three, four,", echo=True, stop=[" six"])
    assert answer.choices[0].text.startswith("One, two, three, four, five")
    assert "six" not in answer.choices[0].text
    assert answer.choices[0].finish_reason == "stop"
    streamed = "".join(event.choices[0].text for event in complete(client, echo=True, stream=True))
    assert streamed == complete(client, echo=True).choices[0].text


def test_logprobs_have_the_old_shape(client):
    answer = complete(client, logprobs=3)
    logprobs = answer.choices[0].logprobs
    assert "".join(logprobs.tokens) == answer.choices[0].text
    assert len(logprobs.tokens) == len(logprobs.token_logprobs) == len(logprobs.top_logprobs) == len(logprobs.text_offset)
    for token, logprob, top, offset in zip(
        logprobs.tokens, logprobs.token_logprobs, logprobs.top_logprobs, logprobs.text_offset, strict=True
    ):
        assert answer.choices[0].text[offset:].startswith(token)
        assert 3 <= len(top) <= 4
        assert top[token] == logprob == max(top.values()), "greedy: the chosen token is the likeliest"


def test_echoed_tokens_have_what_generating_them_had(client, tokens):
    """What a token of an answer had for a log-probability, it has as a part of an echoed prompt as well, but for what
    4-bit weights make of steps of another size. A token too early or too late would be whole units off."""
    answer = complete(client, prompt=tokens, logprobs=1)
    generated = answer.choices[0].logprobs
    ids = client.post("/../tokenize", cast_to=object, body={"model": CHAT, "content": PROMPT + answer.choices[0].text})["tokens"]
    assert ids[: len(tokens)] == tokens
    echoed = complete(client, prompt=ids, max_tokens=0, echo=True, logprobs=1).choices[0]
    assert echoed.text == PROMPT + answer.choices[0].text
    assert echoed.logprobs.token_logprobs[0] is None
    assert echoed.logprobs.top_logprobs[0] is None
    assert len(echoed.logprobs.tokens) == len(ids)
    assert echoed.logprobs.tokens[len(tokens) :] == generated.tokens
    assert echoed.logprobs.token_logprobs[len(tokens) :] == pytest.approx(generated.token_logprobs, abs=0.4)
    assert echoed.logprobs.text_offset[1] == len(echoed.logprobs.tokens[0])


def test_the_likelier_text_has_the_larger_sum(client):
    """As evaluation harnesses use it: the log-likelihood of an ending."""

    def sum_of(ending: str) -> float:
        logprobs = complete(client, prompt=PROMPT + ending, max_tokens=0, echo=True, logprobs=0).choices[0].logprobs
        begin = next(i for i, offset in enumerate(logprobs.text_offset) if offset >= len(PROMPT))
        return sum(logprobs.token_logprobs[begin:])

    assert sum_of(" Paris.") > sum_of(" banana.")


def test_the_best_of_several(client):
    best = complete(client, temperature=1, seed=3, max_tokens=12, logprobs=0, n=3, best_of=8)
    means = [
        sum(choice.logprobs.token_logprobs) / len(choice.logprobs.token_logprobs) for choice in best.choices
    ]
    assert [choice.index for choice in best.choices] == [0, 1, 2]
    assert means == sorted(means, reverse=True)
    returned = sum(len(choice.logprobs.tokens) for choice in best.choices)
    assert best.usage.completion_tokens > returned, "all eight count"


def test_a_suffix_is_filled_in_for(client):
    answer = complete(
        client, model=TOOLS, prompt="def add(a, b):\n    return", suffix="\n\nprint(add(1, 2))\n", max_tokens=16, stop=["\n"]
    )
    assert answer.choices[0].text.strip() == "a + b"
    assert refused(client, suffix="after") == "suffix"


def test_what_is_wrong_is_named(client):
    assert refused(client, prompt=[]) == "prompt"
    assert refused(client, prompt=[[1], [10**8]]) == "prompt[1]"
    assert refused(client, prompt=[10**8]) == "prompt"
    assert refused(client, prompt="word " * 20000) == "prompt"
    assert refused(client, logprobs=6) == "logprobs"
    assert refused(client, best_of=2, stream=True) == "best_of"
    assert refused(client, extra_body={"grammar": "root ::= undefined"}) == "grammar"
    assert refused(client, extra_body={"top_k": "many"}) == "top_k"


def test_the_same_extensions_as_chat(client):
    answer = complete(client, extra_body={"grammar": 'root ::= " " [0-9]+', "min_tokens": 2, "top_k": 5, "dry_multiplier": 0.5})
    assert answer.choices[0].text.strip().isdigit()


def test_many_clients_at_once(client):
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: complete(client, prompt=[PROMPT, "One, two,"]), range(8)))
    assert len({tuple(choice.text for choice in answer.choices) for answer in answers}) == 1
