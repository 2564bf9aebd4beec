"""Images as the official Python client sees them. The weights are random: what is tested is all but the beauty."""

import base64
import io

import numpy
import openai
import pytest
from PIL import Image

from conftest import IMAGES
from support.wire import Connection


def draw(client: openai.OpenAI, **options):
    request = {"model": IMAGES, "prompt": "a red boat", "size": "64x64", "extra_body": {"steps": 2}} | options
    return client.images.generate(**request)


def png(answer, index: int = 0) -> bytes:
    return base64.b64decode(answer.data[index].b64_json, validate=True)


def decoded(data: bytes) -> Image.Image:
    picture = Image.open(io.BytesIO(data))
    picture.load()
    assert picture.format == "PNG"
    return picture


def seeded(seed: int, **more) -> dict:
    return {"steps": 2, "seed": seed} | more


@pytest.mark.parametrize("size", ["64x64", "640x384", "256x512"])
def test_36_the_picture_has_the_size_asked_for(client, size):
    picture = decoded(png(draw(client, size=size)))
    assert f"{picture.width}x{picture.height}" == size
    assert numpy.asarray(picture).std() > 1, "not one flat colour"


@pytest.mark.parametrize("size", ["640", "0x0", "99999x8", "64x", "64X64x64", "-64x64"])
def test_36_a_wrong_size_is_refused_with_the_limits(client, size):
    with pytest.raises(openai.BadRequestError) as failure:
        draw(client, size=size)
    assert failure.value.body["param"] == "size"
    assert any(character.isdigit() for character in failure.value.body["message"])


def test_35_response_formats(client):
    assert draw(client).data[0].b64_json, "the documented default"
    assert draw(client, response_format="b64_json").data[0].b64_json
    with pytest.raises(openai.BadRequestError) as failure:
        draw(client, response_format="foo")
    assert failure.value.body["param"] == "response_format"


def test_37_a_seed_repeats_and_no_seed_does_not(client):
    first, again = (draw(client, extra_body=seeded(1)) for _ in range(2))
    assert png(first) == png(again)
    assert png(draw(client, extra_body=seeded(2))) != png(first)
    assert png(draw(client)) != png(draw(client))


def test_37_the_seed_is_returned_and_stored(client):
    answer = draw(client)
    returned = answer.data[0].model_dump()["seed"]
    stored = decoded(png(answer)).text["parameters"]
    assert f"Seed: {returned}" in stored
    assert png(draw(client, extra_body=seeded(returned))) == png(answer)


def test_several_pictures_are_those_of_the_seeds_that_follow(client):
    both = draw(client, n=2, extra_body=seeded(5))
    assert len(both.data) == 2
    assert png(both, 1) == png(draw(client, extra_body=seeded(6)))


def test_the_prompt_matters(client):
    assert png(draw(client, extra_body=seeded(1))) != png(draw(client, prompt="a blue house", extra_body=seeded(1)))


def test_an_empty_prompt_is_refused(client):
    with pytest.raises(openai.BadRequestError) as failure:
        draw(client, prompt="")
    assert failure.value.body["param"] == "prompt"


def test_38_a_stream_has_partial_pictures_and_a_completed_one(gateway):
    body = {"model": IMAGES, "prompt": "a red boat", "size": "64x64", "steps": 6, "stream": True, "partial_images": 2}
    with Connection(gateway.port) as connection:
        connection.send("POST", "/v1/images/generations", body)
        assert connection.read_head() == 200
        events = [event.json() for event in connection.events() if event.data.startswith("{")]
    kinds = [event["type"] for event in events]
    assert kinds.count("image_generation.partial_image") == 2
    assert kinds[-1] == "image_generation.completed"
    for event in events:
        if "b64_json" in event:
            assert decoded(base64.b64decode(event["b64_json"])).size == (64, 64)
