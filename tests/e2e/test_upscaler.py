"""Real-ESRGAN with its real weights, asked through the worker's contract."""

import base64
import io
import math

import numpy
import pytest
from PIL import Image, ImageDraw

from conftest import IMAGES, fetched
from support.gateway import Gateway
from support.worker import Worker

FACTOR = 4


def drawing(side: int) -> Image.Image:
    """Lines, circles and letters with smooth edges: what the weights were trained for."""
    fine = 4 * side
    picture = Image.new("RGB", (fine, fine), (238, 226, 206))
    pen = ImageDraw.Draw(picture)
    for number in range(6):
        at = fine * (number + 1) // 8
        pen.ellipse((at - fine // 9, at - fine // 9, at + fine // 9, at + fine // 9), fill=(40 * number, 90, 255 - 35 * number))
        pen.line((0, at, fine, fine - at // 2), fill=(20, 20, 20), width=fine // 60)
    pen.polygon(((fine // 10, fine * 9 // 10), (fine // 3, fine * 6 // 10), (fine // 2, fine * 9 // 10)), fill=(200, 30, 60))
    return picture.resize((side, side), Image.Resampling.BOX)


def encoded(picture: Image.Image) -> bytes:
    file = io.BytesIO()
    picture.save(file, "PNG")
    return file.getvalue()


def decoded(data: bytes) -> Image.Image:
    return Image.open(io.BytesIO(data)).convert("RGB")


def decibels(picture: Image.Image, original: Image.Image) -> float:
    """Peak signal-to-noise ratio, without the rim, where there is nothing to go by."""
    difference = numpy.asarray(picture, float)[8:-8, 8:-8] - numpy.asarray(original, float)[8:-8, 8:-8]
    return 10 * math.log10(255**2 / numpy.mean(difference**2))


@pytest.fixture(scope="module")
def worker(program, image_model, cache, logs):
    upscaler = fetched("realesrgan-x4-anime", cache)
    arguments = ["--image-model", f"{IMAGES}={image_model},upscaler={upscaler}"]
    with Gateway(program, arguments, logs / "upscaler.log") as gateway, Worker(gateway.workers()[IMAGES]) as worker:
        yield worker


def test_a_drawing_is_enlarged_better_than_by_interpolation(worker):
    original = drawing(256)
    small = original.resize((original.width // FACTOR, original.height // FACTOR), Image.Resampling.BOX)
    events = worker.run({"id": "enlarge", "upscale": {"image": base64.b64encode(encoded(small)).decode()}})
    assert [event.WhichOneof("event") for event in events if not event.HasField("image_progress")] == [
        "queued", "started", "image_done", "finished"]
    (done,) = (event.image_done for event in events if event.HasField("image_done"))
    large = decoded(done.data)
    assert large.size == original.size == (done.width, done.height)
    assert decibels(large, original) > decibels(small.resize(original.size, Image.Resampling.BICUBIC), original) + 1


def test_it_enlarges_between_two_passes(worker):
    job = {"prompt": "a boat", "width": 64, "height": 64, "steps": 2, "seed": 3, "hires": {"scale": 3, "upscaler": "model", "steps": 2}}
    events = worker.run({"id": "two", "image": job})
    (done,) = (event.image_done for event in events if event.HasField("image_done"))
    assert decoded(done.data).size == (192, 192) == (done.width, done.height)
    assert [(event.image_progress.step, event.image_progress.steps) for event in events if event.HasField("image_progress")] == [
        (1, 4), (2, 4), (3, 4), (4, 4)]
