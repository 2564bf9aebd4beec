"""Pictures that nobody checked: each is a correct picture or a 4xx that names it, and the worker goes on."""

import base64
import io
import struct
import zlib

import numpy
import pytest
import requests
from PIL import Image

from conftest import IMAGES
from support.pictures import ANIMATED_GIF, png, png_of

SIZE = 64


def saved(picture: Image.Image, form: str, **options) -> bytes:
    file = io.BytesIO()
    picture.save(file, form, **options)
    return file.getvalue()


def halves(mode: str = "RGB") -> Image.Image:
    """Black on the left, white on the right."""
    picture = Image.new("RGB", (SIZE, SIZE))
    picture.paste((255, 255, 255), (SIZE // 2, 0, SIZE, SIZE))
    return picture.convert(mode)


def bomb(width: int, height: int) -> bytes:
    return png_of(width, height, zlib.compress(bytes(1_000_000)))


def with_chunk(file: bytes, name: bytes, data: bytes) -> bytes:
    chunk = struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
    return file[:33] + chunk + file[33:]


def held(orientation: int, form: str) -> bytes:
    """The halves as a camera saves them that was held so."""
    turns = {1: [], 3: [Image.Transpose.ROTATE_180], 6: [Image.Transpose.ROTATE_90], 8: [Image.Transpose.ROTATE_270],
             2: [Image.Transpose.FLIP_LEFT_RIGHT]}
    picture = halves()
    for turn in turns[orientation]:
        picture = picture.transpose(turn)
    exif = Image.Exif()
    exif[0x0112] = orientation
    return saved(picture, form, exif=exif, **({"lossless": True} if form == "WEBP" else {"quality": 95} if form == "JPEG" else {}))


REFUSED = {
    "nothing": b"",
    "text": b"hello",
    "a gif": ANIMATED_GIF,
    "an animated webp": saved(halves(), "WEBP", save_all=True, append_images=[halves().rotate(90)], duration=100),
    "a large png": bomb(20000, 20000),
    "the largest png": bomb(2**31 - 1, 2**31 - 1),
    "no width": png_of(0, 5, zlib.compress(b"")),
    "a png cut short": png()[:200],
    "a jpeg cut short": saved(halves(), "JPEG")[:300],
    "a webp cut short": saved(halves(), "WEBP")[:60],
    "a png with a wrong sum": png()[:40] + bytes([png()[40] ^ 1]) + png()[41:],
    "half of the pixels": png_of(64, 64, zlib.compress(bytes(64 * 3 * 20))),
    "a svg": b"<svg xmlns='http://www.w3.org/2000/svg'/>",
    "a tiff": saved(halves(), "TIFF"),
}

SAME = {
    "png": saved(halves(), "PNG"),
    "grey": saved(halves("L"), "PNG"),
    "palette": saved(halves("P"), "PNG"),
    "one bit": saved(halves("1"), "PNG"),
    "16 bit": saved(Image.fromarray(numpy.where(numpy.asarray(halves("L")) > 0, 65535, 0).astype(numpy.uint16)), "PNG"),
    "opacity": saved(halves("RGBA"), "PNG"),
    "an animated png": saved(halves(), "PNG", save_all=True, append_images=[halves().rotate(90)]),
    "webp": saved(halves(), "WEBP", lossless=True),
    "jpeg": saved(halves(), "JPEG", quality=95),
    "cmyk": saved(halves().convert("CMYK"), "JPEG", quality=95),
    "progressive": saved(halves(), "JPEG", quality=95, progressive=True),
    "a text bomb in it": with_chunk(saved(halves(), "PNG"), b"zTXt", b"a\0\0" + zlib.compress(bytes(50_000_000))),
    **{f"{form} held {orientation}": held(orientation, form)
       for form in ("JPEG", "PNG", "WEBP") for orientation in (2, 3, 6, 8)},
}


def ask(gateway, file: bytes, path: str = "edits", **fields) -> requests.Response:
    """With a mask that keeps all of it, so that the answer shows what the worker has read."""
    fields = {"model": IMAGES, "prompt": "a", "steps": "1", "seed": "1"} | fields
    files = {"image": ("a.png", file), "mask": ("mask.png", saved(Image.new("L", (SIZE, SIZE), 0), "PNG"))}
    return requests.post(f"{gateway.url}/v1/images/{path}", data=fields, files=files, timeout=120)


def sides(answer: requests.Response) -> tuple[float, float]:
    """How bright the left and the right half are."""
    assert answer.status_code == 200, answer.text
    picture = numpy.asarray(Image.open(io.BytesIO(base64.b64decode(answer.json()["data"][0]["b64_json"]))).convert("L"), dtype=float)
    return float(picture[:, : SIZE // 2].mean()), float(picture[:, SIZE // 2:].mean())


@pytest.mark.parametrize("what", REFUSED)
def test_what_is_no_picture_is_refused_by_name(gateway, what):
    answer = ask(gateway, REFUSED[what])
    assert answer.status_code == 400, answer.text
    assert answer.json()["error"]["param"] in ("image", "image[0]")
    assert ask(gateway, SAME["png"]).status_code == 200, "the worker goes on"


@pytest.fixture(scope="module")
def expected(gateway) -> tuple[float, float]:
    return sides(ask(gateway, SAME["png"]))


@pytest.mark.parametrize("what", SAME)
def test_a_picture_is_the_same_in_every_form(gateway, expected, what):
    found = sides(ask(gateway, SAME[what]))
    assert found == pytest.approx(expected, abs=12), what


def test_the_halves_differ(expected, gateway):
    turned = sides(ask(gateway, saved(halves().rotate(180), "PNG")))
    assert abs(expected[0] - turned[0]) > 24, "the tests above would see a turned picture"


@pytest.mark.parametrize("field, value", [
    ("strength", "nan"), ("strength", "inf"), ("cfg_scale", "-nan"), ("steps", "1e400"), ("n", "1.5"), ("seed", "99999999999999999999"),
    ("eta", "NaN"), ("prompt", "x" * 100_000), ("negative_prompt", "y" * 100_000), ("size", "9" * 5000)])
def test_numbers_and_texts_that_are_none_are_refused_by_name(gateway, field, value):
    answer = ask(gateway, SAME["png"], **{field: value})
    assert answer.status_code == 400, answer.text
    assert answer.json()["error"]["param"] == field
