"""Chats with sound, through both real programs and a small model with random weights that hears."""

import json
import subprocess
from pathlib import Path

import pytest
import requests

from support import tiny_vision
from support.gateway import Gateway
from support.pictures import audio_part, image_part, png, text_part, wav


@pytest.fixture(scope="module")
def gateway(program, chat_model, logs, tmp_path_factory):
    folder = tmp_path_factory.mktemp("hearing")
    model, projector = tiny_vision.by_ear(folder, chat_model)
    settings = {"name": "hearing", "kind": "text", "path": str(model), "projector": str(projector), "context": 2048}
    configuration = folder / "gateway.yaml"
    configuration.write_text(json.dumps({"models": [{**settings, "max_audio_seconds": 5}]}))
    with Gateway(program, ["--config", str(configuration)], logs / "hearing.log") as running:
        yield running


def post(gateway: Gateway, content: list[dict]) -> requests.Response:
    body = {"model": "hearing", "messages": [{"role": "user", "content": content}], "max_tokens": 12, "temperature": 0}
    return requests.post(f"{gateway.url}/v1/chat/completions", json=body, timeout=120)


def mp3(folder: Path, sound: bytes) -> bytes:
    """As an encoder writes it that people use: with a tag before it and a frame about the others."""
    (folder / "sound.wav").write_bytes(sound)
    command = ["lame", "--quiet", "--add-id3v2", "--tt", "A tone", "sound.wav", "sound.mp3"]
    subprocess.run(command, cwd=folder, check=True)
    return (folder / "sound.mp3").read_bytes()


def heard(gateway: Gateway, sound: bytes, form: str = "wav") -> tuple[str, int, int]:
    """The answer, the tokens of the prompt, and those that were not evaluated."""
    reply = post(gateway, [text_part("What is this?"), audio_part(sound, form), text_part("Say it.")])
    assert reply.status_code == 200, reply.text
    usage = reply.json()["usage"]
    return reply.json()["choices"][0]["message"]["content"], usage["prompt_tokens"], usage["prompt_tokens_details"]["cached_tokens"]


def test_a_sound_is_heard_and_kept(gateway):
    first, tokens, _ = heard(gateway, wav(pitch=440))
    again, _, cached = heard(gateway, wav(pitch=440))
    assert tokens > 100
    assert again == first and cached == tokens - 1


def test_other_sounds_are_answered_otherwise(gateway):
    assert heard(gateway, wav(pitch=300))[0] != heard(gateway, wav(pitch=900))[0]


def test_an_mp3_is_heard_and_kept(gateway, tmp_path):
    tone = mp3(tmp_path, wav(pitch=300))
    first, tokens, _ = heard(gateway, tone, "mp3")
    again, _, cached = heard(gateway, tone, "mp3")
    assert tokens > 100
    assert again == first and cached == tokens - 1
    assert heard(gateway, mp3(tmp_path, wav(pitch=900)), "mp3")[0] != first


def test_an_mp3_that_is_too_long_is_refused(gateway, tmp_path):
    reply = post(gateway, [text_part("What is this?"), audio_part(mp3(tmp_path, wav(6)), "mp3")])
    assert reply.status_code == 400, reply.text
    assert reply.json()["error"]["param"].startswith("messages[0].content[1]"), reply.text


BAD = {
    "no file": b"",
    "text": b"This is no sound.",
    "cut": wav()[:30],
    "nothing in it": wav(0),
    "too long": wav(5.1),
    "slow": wav()[:24] + b"\x01\x00\x00\x00" + wav()[28:],
    "ID3 and no sound": b"ID3\x04\x00\x00\x00\x00\x00\x00",
    "a picture": png(),
}


@pytest.mark.parametrize("kind", BAD)
def test_what_is_no_sound_is_refused_where_it_stands(gateway, kind):
    reply = post(gateway, [text_part("What is this?"), audio_part(BAD[kind])])
    assert reply.status_code == 400, reply.text
    assert reply.json()["error"]["param"].startswith("messages[0].content[1]"), reply.text


def test_a_model_that_hears_need_not_see(gateway):
    reply = post(gateway, [image_part(png())])
    assert reply.status_code == 400
    assert reply.json()["error"]["param"] == "messages[0].content[0]"
    [model] = requests.get(f"{gateway.url}/v1/models", timeout=10).json()["data"]
    assert model["modalities"] == ["text", "audio"]
    assert model["state"] == "ready"
