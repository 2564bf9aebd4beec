"""A picture beside a chat that never leaves the processors alone."""

import threading

import openai
import pytest

from conftest import CHAT, IMAGES
from support.gateway import Gateway


@pytest.fixture(scope="module")
def gateway(program, chat_model, image_model, logs):
    arguments = ["--model", f"{CHAT}={chat_model}", "--image-model", f"{IMAGES}={image_model}"]
    with Gateway(program, arguments, logs / "beside-chat.log") as running:
        yield running


def test_41_a_picture_is_finished_while_a_chat_goes_on_without_a_pause(gateway):
    client = openai.OpenAI(base_url=f"{gateway.url}/v1", api_key="unused", max_retries=0, timeout=900)
    finished, tokens = threading.Event(), []

    def chat(subject: str) -> None:
        while not finished.is_set():
            answer = client.chat.completions.create(
                model=CHAT, messages=[{"role": "user", "content": f"Tell me about {subject}."}], max_tokens=50,
                extra_body={"ignore_eos": True})
            tokens.append(answer.usage.completion_tokens)

    chats = [threading.Thread(target=chat, args=(subject,)) for subject in ("rivers", "the moon", "clocks")]
    for each in chats:
        each.start()
    try:
        answer = client.images.generate(model=IMAGES, prompt="a boat", size="256x256", extra_body={"steps": 4, "seed": 1})
        assert answer.data[0].b64_json
    finally:
        finished.set()
        for each in chats:
            each.join()
    assert len(tokens) >= len(chats) and set(tokens) == {50}
