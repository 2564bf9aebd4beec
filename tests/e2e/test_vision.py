"""Chats with pictures, through both real programs and models of several kinds. The models are small and made here, with
random weights: their answers mean nothing but depend on everything they are shown."""

import json
import subprocess
import zlib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import requests

from support import tiny_vision
from support.gateway import Gateway
from support.pictures import ANIMATED_GIF, audio_part, image_part, png, png_of, text_part, wav

KINDS = {
    "tiles": tiny_vision.in_tiles,
    "at-once": tiny_vision.at_once,
    "two-dimensions": tiny_vision.in_two_dimensions,
}
CONTEXT = 2048


@pytest.fixture(scope="module", params=KINDS)
def files(request, chat_model, tmp_path_factory) -> tuple[Path, Path]:
    """A model and its projector."""
    return KINDS[request.param](tmp_path_factory.mktemp(request.param), chat_model)


@pytest.fixture(scope="module")
def start(files, program, logs):
    """One model that sees and one that does not."""
    model, projector = files
    seeing = {"name": "seeing", "kind": "text", "path": str(model), "projector": str(projector), "context": CONTEXT}
    blind = {"name": "blind", "kind": "text", "path": str(model), "context": CONTEXT}
    configuration = model.with_suffix(".yaml")
    configuration.write_text(json.dumps({"models": [{**seeing, "max_image_pixels": 1 << 20}, blind]}))
    return lambda: Gateway(program, ["--config", str(configuration)], logs / f"vision-{model.stem}.log")


@pytest.fixture(scope="module")
def gateway(start):
    with start() as running:
        yield running


@pytest.fixture
def fresh(start):
    """One whose memory is empty: in a full one a text has other cells than alone, and sums are rounded otherwise."""
    with start() as running:
        yield running


def post(gateway: Gateway, content: list[dict] | list[list[dict]], **more) -> requests.Response:
    """A chat whose user says `content`; a list of lists: with answers between."""
    turns = content if isinstance(content[0], list) else [content]
    messages = []
    for turn in turns:
        messages += [{"role": "user", "content": turn}, {"role": "assistant", "content": "Yes."}]
    body = {"model": "seeing", "messages": messages[:-1], "max_tokens": 12, "temperature": 0, "logprobs": True, **more}
    return requests.post(f"{gateway.url}/v1/chat/completions", json=body, timeout=120)


def ask(gateway: Gateway, content: list, **more) -> dict:
    reply = post(gateway, content, **more)
    assert reply.status_code == 200, reply.text
    return reply.json()


def says(answer: dict) -> list[tuple[str, float]]:
    """The tokens and how likely they were: equal only where everything before them is."""
    return [(token["token"], token["logprob"]) for token in answer["choices"][0]["logprobs"]["content"]]


def cached(answer: dict) -> int:
    return answer["usage"]["prompt_tokens_details"]["cached_tokens"]


def about(picture: bytes, before: str, after: str) -> list[dict]:
    return [text_part(before), image_part(picture), text_part(after)]


def test_the_same_picture_is_evaluated_once(gateway):
    picture = png(seed=1)
    first = ask(gateway, about(picture, "What is this one?", "Say it."))
    again = ask(gateway, about(picture, "What is this one?", "Say it."))
    assert cached(again) == again["usage"]["prompt_tokens"] - 1
    assert says(again) == says(first)


def test_a_picture_counts_as_the_tokens_it_takes(gateway):
    without = ask(gateway, [text_part("What is this?"), text_part("Say it.")])["usage"]["prompt_tokens"]
    small = ask(gateway, about(png(64, 64), "What is this?", "Say it."))["usage"]["prompt_tokens"]
    assert small >= without + 16


def test_other_pictures_are_answered_otherwise(gateway):
    answers = [ask(gateway, about(png(seed=seed), "What is here?", "Say it.")) for seed in (2, 3)]
    assert says(answers[0]) != says(answers[1])
    # As far as the picture they are the same, and no further.
    assert 0 < cached(answers[1]) < answers[1]["usage"]["prompt_tokens"] - 16


def test_where_a_picture_stands_matters(gateway):
    picture = image_part(png(seed=4))
    orders = [
        [picture, text_part("one"), text_part("two")],
        [text_part("one"), picture, text_part("two")],
        [text_part("one"), text_part("two"), picture],
    ]
    answers = [says(ask(gateway, order)) for order in orders]
    assert len({tuple(answer) for answer in answers}) == 3


def test_two_pictures_are_told_apart(gateway):
    one, other = image_part(png(seed=5)), image_part(png(seed=6))
    answers = [says(ask(gateway, [*order, text_part("Which is larger?")])) for order in ((one, other), (other, one), (one, one))]
    assert len({tuple(answer) for answer in answers}) == 3


def test_a_conversation_goes_on_after_a_picture(gateway):
    picture = about(png(seed=7), "What do you see here?", "Say it.")
    first = ask(gateway, picture)
    second = ask(gateway, [picture, [text_part("And what else?")]])
    assert cached(second) >= first["usage"]["prompt_tokens"] - 8
    third = ask(gateway, [picture, [text_part("And what else?")], [image_part(png(seed=8)), text_part("Like this?")]])
    assert cached(third) >= second["usage"]["prompt_tokens"] - 8


def test_what_is_reused_changes_no_answer(fresh, files):
    """A salt of its own has everything evaluated again. Where a picture's tokens have two dimensions, what follows them
    begins a block of memory of its own: there only the beginning of an answer is the same, and nearly."""
    turns = [about(png(seed=9), "What is it?", "Say."), [text_part("Sure?")], [image_part(png(80, 48, seed=9)), text_part("Or this?")]]
    alone = [says(ask(fresh, turns[:count], cache_salt=f"turn {count}")) for count in (1, 2, 3)]
    heard = [says(ask(fresh, turns[:count])) for count in (1, 2, 3)]
    if "dimensions" not in files[0].stem:
        assert heard == alone
    for one, other in zip(heard, alone):
        assert one[0][0] == other[0][0] and one[0][1] == pytest.approx(other[0][1], abs=0.05)


def test_the_numbers_are_llama_cpps_own(fresh, build, files, tmp_path):
    picture = tmp_path / "picture.png"
    picture.write_bytes(png(150, 90, seed=12))
    content = about(picture.read_bytes(), "What is this?", "Say it.")
    body = {"model": "seeing", "messages": [{"role": "user", "content": content}]}
    prompt = requests.post(f"{fresh.url}/apply-template", json=body, timeout=60).json()["prompt"]
    command = [build / "test-bin/mtmd-reference", build / "lib", *files, picture, "12"]
    told = subprocess.run(command, input=prompt, check=True, stdout=subprocess.PIPE, text=True).stdout.split()
    expected = [float(number) for number in told[1::2]]
    assert [number for _, number in says(ask(fresh, content))] == pytest.approx(expected, abs=1e-4)


def test_a_stream_says_the_same(gateway):
    content = about(png(seed=10), "What is this?", "Say it.")
    whole = ask(gateway, content)["choices"][0]["message"]["content"]
    reply = post(gateway, content, stream=True, stream_options={"include_usage": True})
    data = [line.removeprefix("data: ") for line in reply.text.splitlines() if line.startswith("data: ")]
    assert data.pop() == "[DONE]"
    chunks = [json.loads(each) for each in data]
    assert "".join(choice["delta"].get("content") or "" for chunk in chunks for choice in chunk["choices"]) == whole
    assert chunks[-1]["usage"]["prompt_tokens"] > 16


def test_conversations_at_the_same_time_share_a_picture_and_leave_each_other_alone(fresh, files):
    picture = png(seed=11)
    asked = [about(picture, "We look at this picture together:", ending) for ending in ("Red?", "Or blue?", "A tree?", "A house?")]
    asked += [[text_part(f"Count to {number}.")] for number in (3, 5)]
    alone = [says(ask(fresh, content, cache_salt="alone")) for content in asked]
    with ThreadPoolExecutor(len(asked)) as pool:
        together = list(pool.map(lambda content: ask(fresh, content, cache_salt="together"), asked))
    compared = 1 if "dimensions" in files[0].stem else 12
    heard = [[token for token, _ in says(answer)[:compared]] for answer in together]
    assert heard == [[token for token, _ in answer[:compared]] for answer in alone]
    evaluated = sum(answer["usage"]["prompt_tokens"] - cached(answer) for answer in together[:4])
    assert evaluated < 2 * together[0]["usage"]["prompt_tokens"]


def test_pictures_of_all_shapes(gateway):
    for width, height in ((1, 1), (40, 300), (300, 40), (17, 170), (500, 400)):
        answer = ask(gateway, about(png(width, height), "What is this?", "Say it."))
        assert answer["choices"][0]["message"]["content"]


BAD = {
    "no file": b"",
    "text": b"This is no picture.",
    "animated": ANIMATED_GIF,
    "cut": png()[:200],
    "only a header": png()[:33],
    "wrong colours": png_of(8, 8, zlib.compress(b"\0" * 5)),
    "nothing compressed": png_of(8, 8, b""),
    "huge header": png_of(60000, 60000, zlib.compress(b"")),
    "huge header that is true": png_of(20000, 20000, zlib.compress(b"\0" * 20000)),
    "more pixels than allowed": png_of(1025, 1024, zlib.compress(b"\0" * 1000)),
    "no width": png_of(0, 10, zlib.compress(b"\0")),
    "a line": png(500, 2),
    "cut JPEG": b"\xff\xd8\xff\xe0\x00\x10JFIF",
    "cut WebP": b"RIFF\x20\x00\x00\x00WEBPVP8 ",
}


@pytest.mark.parametrize("kind", BAD)
def test_what_is_no_picture_is_refused_where_it_stands(gateway, kind):
    reply = post(gateway, [text_part("What is this?"), image_part(png()), image_part(BAD[kind])])
    assert reply.status_code == 400, reply.text
    error = reply.json()["error"]
    assert error["param"].startswith("messages[0].content[2]"), error
    assert error["message"]


def test_more_pictures_than_the_context_holds_are_too_many(gateway):
    reply = post(gateway, [image_part(png(128, 128, seed=seed)) for seed in range(150)])
    assert reply.status_code == 400, reply.text
    assert reply.json()["error"]["code"] == "context_length_exceeded"


def test_a_model_that_does_not_see_says_so(gateway):
    reply = post(gateway, about(png(), "What is this?", ""), model="blind")
    assert reply.status_code == 400
    assert reply.json()["error"]["param"] == "messages[0].content[1]"


def test_a_model_that_does_not_hear_says_so(gateway):
    for model in ("seeing", "blind"):
        reply = post(gateway, [text_part("What is this?"), audio_part(wav())], model=model)
        assert reply.status_code == 400
        assert reply.json()["error"]["param"] == "messages[0].content[1]"


def test_the_list_of_models_says_what_they_take(gateway):
    models = {model["id"]: model for model in requests.get(f"{gateway.url}/v1/models", timeout=10).json()["data"]}
    assert models["seeing"]["modalities"] == ["text", "image"]
    assert models["blind"]["modalities"] == ["text"]


def test_nobody_died_of_it(gateway):
    """Last in this file, for each model."""
    models = requests.get(f"{gateway.url}/v1/models", timeout=10).json()["data"]
    assert [model["state"] for model in models] == ["ready", "ready"]
