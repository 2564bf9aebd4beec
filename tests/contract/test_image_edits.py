"""Edits, variations and addresses of pictures as the official Python client and a browser's form send them."""

import base64
import io

import numpy
import openai
import pytest
import requests
from PIL import Image

from conftest import IMAGES
from support.wire import Connection

STEPS = {"steps": 2, "seed": 3}


def encoded(picture: Image.Image, form: str = "PNG", **options) -> bytes:
    file = io.BytesIO()
    picture.save(file, form, **options)
    return file.getvalue()


def coloured(width: int = 64, height: int = 64) -> Image.Image:
    """Not the same in any two corners, and smooth enough for JPEG."""
    across, down = numpy.meshgrid(numpy.linspace(0, 255, width), numpy.linspace(0, 255, height))
    return Image.fromarray(numpy.stack([across, down, 255 - across], axis=-1).astype(numpy.uint8))


def pixels(file: bytes) -> numpy.ndarray:
    return numpy.asarray(Image.open(io.BytesIO(file)).convert("RGB"), dtype=float)


def picture_of(answer, index: int = 0) -> bytes:
    return base64.b64decode(answer.data[index].b64_json, validate=True)


def edit(client: openai.OpenAI, **options):
    request = {"model": IMAGES, "image": encoded(coloured()), "prompt": "a red boat", "extra_body": STEPS} | options
    return client.images.edit(**request)


def test_an_edit_goes_on_from_the_picture(client):
    first, again = picture_of(edit(client)), picture_of(edit(client))
    assert first == again
    assert Image.open(io.BytesIO(first)).size == (64, 64), "the picture's own size"
    assert picture_of(edit(client, prompt="a blue house")) != first
    assert picture_of(edit(client, image=[encoded(coloured())])) == first, "a list of one"
    nothing = encoded(Image.new("L", (64, 64), 0))
    assert picture_of(edit(client, mask=nothing)) != picture_of(edit(client, mask=nothing, image=encoded(coloured().rotate(90))))


def test_an_edit_in_json_is_the_same(client, gateway):
    url = f"data:image/png;base64,{base64.b64encode(encoded(coloured())).decode()}"
    body = {"model": IMAGES, "prompt": "a red boat", "images": [{"image_url": url}]} | STEPS
    answer = requests.post(f"{gateway.url}/v1/images/edits", json=body, timeout=120)
    assert answer.status_code == 200, answer.text
    assert base64.b64decode(answer.json()["data"][0]["b64_json"]) == picture_of(edit(client))


def test_a_picture_of_another_size_is_fitted(client):
    wide = picture_of(edit(client, image=encoded(coloured(300, 150)), size="128x64"))
    assert Image.open(io.BytesIO(wide)).size == (128, 64)
    own = picture_of(edit(client, image=encoded(coloured(300, 150))))
    assert Image.open(io.BytesIO(own)).size == (304, 144), "the nearest that the model can draw"


def test_a_mask_says_what_is_drawn_anew(client):
    """White, or transparent: both kinds of masks mean the same."""
    left = Image.new("L", (64, 64), 0)
    left.paste(255, (0, 0, 32, 64))
    opaque = Image.eval(left, lambda value: 255 - value)
    by_alpha = Image.merge("RGBA", [Image.new("L", (64, 64), 0)] * 3 + [opaque])
    white = picture_of(edit(client, mask=encoded(left)))
    transparent = picture_of(edit(client, mask=encoded(by_alpha)))
    assert white == transparent
    assert white != picture_of(edit(client))
    kept, redrawn = (numpy.abs(pixels(white) - numpy.asarray(coloured(), dtype=float))[:, part].mean()
                     for part in (slice(40, 64), slice(0, 24)))
    assert kept < redrawn, (kept, redrawn)


def test_an_edit_streams_its_own_events(client):
    events = list(client.images.edit(
        model=IMAGES, image=encoded(coloured()), prompt="a red boat", stream=True, partial_images=2,
        extra_body={"steps": 6, "seed": 3, "strength": 1}))
    kinds = [event.type for event in events]
    assert kinds[-1] == "image_edit.completed"
    assert kinds.count("image_edit.partial_image") == 2
    for event in events:
        assert Image.open(io.BytesIO(base64.b64decode(event.b64_json))).size == (64, 64)


def test_variations_are_several_pictures(client):
    answer = client.images.create_variation(model=IMAGES, image=encoded(coloured()), n=2, extra_body=STEPS)
    first, second = picture_of(answer), picture_of(answer, 1)
    assert first != second
    seeds = [picture.model_dump()["seed"] for picture in answer.data]
    assert seeds == [3, 4]


def test_35_addresses(client, gateway):
    answer = client.images.generate(model=IMAGES, prompt="a red boat", size="64x64", response_format="url",
                                    n=2, extra_body=STEPS)
    assert all(picture.b64_json is None for picture in answer.data)
    address = answer.data[0].url
    assert address.startswith(gateway.url + "/v1/images/files/"), "the address that was asked"
    file = requests.get(address, timeout=60)
    assert file.headers["Content-Type"] == "image/png"
    whole = client.images.generate(model=IMAGES, prompt="a red boat", size="64x64", extra_body=STEPS)
    assert file.content == picture_of(whole)
    assert requests.head(address, timeout=60).headers["Content-Length"] == str(len(file.content))
    for wrong in (address[:-1] + ("0" if address[-1] != "0" else "1"), address.replace("expires=", "expires=9"), answer.data[1].url.replace(
            answer.data[1].url.split("/")[-1].split("?")[0], address.split("/")[-1].split("?")[0])):
        assert requests.get(wrong, timeout=60).status_code == 404, wrong
    with pytest.raises(openai.BadRequestError) as failure:
        client.images.generate(model=IMAGES, prompt="a", response_format="url", stream=True)
    assert failure.value.body["param"] == "response_format"


def test_what_the_model_cannot_do_is_refused_by_name(client):
    cases = {
        "size": {"size": "100x100"},
        "background": {"background": "transparent"},
        "image": {"image": [encoded(coloured()), encoded(coloured())]},
        "mask": {"mask": encoded(coloured(32, 32))},
        "n": {"n": 11},
        "strength": {"extra_body": {"strength": 2}},
        "prompt": {"prompt": "x" * 100_000},
        "step_cache": {"extra_body": {"step_cache": "none-such"}},
    }
    for param, options in cases.items():
        with pytest.raises(openai.BadRequestError) as failure:
            edit(client, **options)
        assert failure.value.body["param"] == param, failure.value.body
    with pytest.raises(openai.BadRequestError) as failure:
        client.post("/images/upscale", body={"image": base64.b64encode(encoded(coloured())).decode(), "model": IMAGES},
                    cast_to=object)
    assert failure.value.body["param"] == "model"


def test_what_has_no_effect_is_told(client):
    answer = client.images.with_raw_response.edit(
        model=IMAGES, image=encoded(coloured()), prompt="a red boat", quality="high", input_fidelity="high", user="me",
        extra_body=STEPS | {"unknown": 1})
    assert set(answer.headers["x-ignored-fields"].split(", ")) == {"quality", "input_fidelity", "user", "unknown"}


def test_forms_that_two_readers_could_read_differently_are_refused(gateway):
    def form(*parts: bytes, end: bytes = b"--B--\r\n") -> bytes:
        return b"".join(b"--B\r\nContent-Disposition: form-data; " + part + b"\r\n" for part in parts) + end

    prompt, image = b'name="prompt"\r\n\r\na', b'name="image"; filename="a"\r\n\r\n' + encoded(coloured())
    for body in (form(prompt, image, end=b""), b"x" + form(prompt, image), form(prompt, prompt, image), form(b"name=a"),
                 form(prompt, image) + b"more", form(b'name="prompt"\r\n\r\n\xff', image), form(prompt), b""):
        answer = requests.post(f"{gateway.url}/v1/images/edits", data=body, timeout=60,
                               headers={"Content-Type": "multipart/form-data; boundary=B"})
        assert answer.status_code == 400, body[:200]
    for kind in ("multipart/form-data", "multipart/mixed; boundary=B", "text/plain"):
        answer = requests.post(f"{gateway.url}/v1/images/edits", data=form(prompt, image), timeout=60,
                               headers={"Content-Type": kind})
        assert answer.status_code in (400, 415), kind
    with Connection(gateway.port) as connection:
        assert connection.ask("GET", "/health/live") and connection.status == 200
