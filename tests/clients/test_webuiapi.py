"""webuiapi: a client of AUTOMATIC1111's API, unchanged. The weights are random."""

import threading

import pytest
import webuiapi
from PIL import Image

from conftest import IMAGES
from support.gateway import wait_until

SMALL = {"width": 64, "height": 64, "steps": 4}


@pytest.fixture(scope="module")
def ui(gateway):
    return webuiapi.WebUIApi(baseurl=f"{gateway.url}/sdapi/v1", sampler="Euler a", steps=4)


def test_it_finds_its_way_around(ui):
    assert IMAGES in ui.util_get_model_names()
    assert "Euler a" in ui.util_get_sampler_names()
    assert "karras" in ui.util_get_scheduler_names()
    assert {upscaler["name"] for upscaler in ui.get_upscalers()} >= {"None"}
    assert ui.get_loras() == []
    ui.util_set_model(IMAGES)
    assert ui.util_get_current_model() == IMAGES
    ui.util_wait_for_ready()


def test_a_picture(ui):
    first = ui.txt2img(prompt="a red boat", negative_prompt="people", seed=5, **SMALL)
    assert first.image.size == (64, 64)
    assert first.info["all_seeds"] == [5]
    assert first.info["infotexts"][0].startswith("a red boat")
    assert first.parameters["steps"] == 4
    again = ui.txt2img(prompt="a red boat", negative_prompt="people", seed=5, **SMALL)
    assert first.image.tobytes() == again.image.tobytes()


def test_several_pictures_with_old_and_new_names(ui):
    result = ui.txt2img(prompt="a red boat", batch_size=2, seed=5, sampler_name="DPM++ 2M Karras", **SMALL)
    assert len(result.images) == 2
    assert result.info["all_seeds"] == [5, 6]
    assert result.info["scheduler"] == "Karras"


def test_a_picture_from_a_picture(ui):
    start = Image.new("RGB", (64, 64), "blue")
    mask = Image.new("L", (64, 64), 0)
    mask.paste(255, (0, 0, 64, 32))
    drawn = ui.img2img(images=[start], mask_image=mask, prompt="a red boat", seed=5, denoising_strength=0.8, **SMALL)
    assert drawn.image.size == (64, 64)


def test_two_passes(ui):
    drawn = ui.txt2img(prompt="a red boat", seed=5, enable_hr=True, hr_scale=2, denoising_strength=0.5, **SMALL)
    assert drawn.image.size == (128, 128)


def test_what_a_file_says(ui):
    drawn = ui.txt2img(prompt="a red boat", seed=5, **SMALL)
    assert ui.png_info(drawn.image).info.startswith("a red boat")


def test_what_cannot_be_done_is_said(ui):
    with pytest.raises(RuntimeError, match="tiling"):
        ui.txt2img(prompt="a red boat", tiling=True, **SMALL)
    with pytest.raises(RuntimeError, match="upscaler_1"):
        ui.extra_single_image(Image.new("RGB", (64, 64)), upscaler_1="R-ESRGAN 4x+")


def test_progress_and_interrupt(ui):
    results = []
    thread = threading.Thread(target=lambda: results.append(
        ui.txt2img(prompt="a red boat", width=256, height=256, steps=200)))
    thread.start()
    progress = wait_until(lambda: (found := ui.get_progress())["state"]["sampling_step"] > 1 and found, "it is drawn")
    assert progress["state"]["sampling_steps"] == 200
    assert progress["eta_relative"] > 0
    wait_until(lambda: ui.get_progress()["current_image"], "there is a preview")
    ui.interrupt()
    thread.join(120)
    assert len(results[0].images) == 1, "as far as it was"
