"""/tokenize, /detokenize, /apply-template and counting, with a real model."""

import pytest
import requests

from conftest import CHAT, TOOLS

MESSAGES = [{"role": "system", "content": "You help."}, {"role": "user", "content": "Grüße, 世界! 🙂"}]


@pytest.fixture(scope="module")
def post(gateway):
    def send(path: str, **body) -> dict:
        answer = requests.post(gateway.url + path, json=body, timeout=600)
        assert answer.status_code == 200, answer.text
        return answer.json()

    return send


@pytest.mark.parametrize("model", [CHAT, TOOLS])
@pytest.mark.parametrize("text", ["Hello world", "Grüße, 世界! 🙂", "  two\n\n\tlines  ", "<|im_end|>"])
def test_there_and_back_again(post, model, text):
    tokens = post("/tokenize", model=model, content=text)["tokens"]
    back = post("/detokenize", model=model, tokens=tokens)
    assert back == {"content": text, "prompt": text}


def test_pieces_make_the_text(post):
    text = "Grüße, 世界! 🙂"
    answer = post("/tokenize", model=CHAT, content=text, with_pieces=True)
    raw = b"".join(
        each["piece"].encode() if isinstance(each["piece"], str) else bytes(each["piece"]) for each in answer["tokens"]
    )
    assert raw.decode() == text
    assert answer["count"] == len(answer["tokens"])


def test_names_of_special_tokens_may_be_text(post):
    assert post("/tokenize", model=CHAT, content="<|im_end|>")["count"] == 1
    assert post("/tokenize", model=CHAT, content="<|im_end|>", parse_special=False)["count"] > 1


def test_counting_is_what_an_answer_counts(client, post):
    prompt = post("/apply-template", model=CHAT, messages=MESSAGES)["prompt"]
    assert "You help." in prompt and prompt.endswith("<|im_start|>assistant\n")
    usage = client.chat.completions.create(model=CHAT, messages=MESSAGES, max_tokens=1).usage
    counted = post("/v1/chat/completions/input_tokens", model=CHAT, messages=MESSAGES)
    assert counted == {"object": "response.input_tokens", "input_tokens": usage.prompt_tokens}
    assert post("/tokenize", model=CHAT, messages=MESSAGES)["count"] == usage.prompt_tokens
    assert post("/tokenize", model=CHAT, prompt=prompt, add_special_tokens=False)["count"] == usage.prompt_tokens


def test_tools_count_too(post):
    tools = [{"type": "function", "function": {"name": "weather", "parameters": {"type": "object"}}}]
    without = post("/v1/chat/completions/input_tokens", model=TOOLS, messages=MESSAGES)["input_tokens"]
    assert post("/v1/chat/completions/input_tokens", model=TOOLS, messages=MESSAGES, tools=tools)["input_tokens"] > without + 20


def test_what_is_wrong_is_named(gateway):
    for path, body, param in (
        ("/tokenize", {}, "content"),
        ("/tokenize", {"content": "a", "prompt": "b"}, "prompt"),
        ("/tokenize", {"model": "nobody", "content": "a"}, "model"),
        ("/detokenize", {"tokens": [10**8]}, "tokens"),
        ("/detokenize", {"tokens": "a"}, "tokens"),
        ("/apply-template", {"model": CHAT, "messages": []}, "messages"),
    ):
        answer = requests.post(gateway.url + path, json=body, timeout=600)
        assert answer.status_code in (400, 404), answer.text
        assert answer.json()["error"]["param"] == param
