"""What the image worker keeps of one request for the next, counted in the metrics."""

import json

import pytest
import requests

from conftest import IMAGES
from support.gateway import Gateway, wait_until


def configured(program, image_model, tmp_path, log, **settings) -> Gateway:
    path, autoencoder = image_model.split(",taesd=")
    model = {"name": IMAGES, "kind": "image", "path": path, "taesd": autoencoder} | settings
    configuration = tmp_path / "gateway.yaml"
    configuration.write_text(json.dumps({"models": [model]}))
    return Gateway(program, ["--config", str(configuration)], log)


def draw(gateway: Gateway, **more) -> str:
    body = {"model": IMAGES, "prompt": "a boat", "size": "64x64", "steps": 2, "seed": 1} | more
    response = requests.post(f"{gateway.url}/v1/images/generations", json=body, timeout=300)
    assert response.status_code == 200, response.text
    return response.json()["data"][0]["b64_json"]


def lookups(gateway: Gateway, cache: str) -> tuple[float, float]:
    """Hits and misses."""
    return tuple(gateway.metric("worker_cache_lookups_total", cache=cache, outcome=outcome) for outcome in ("hit", "miss"))


def wait_for(gateway: Gateway, cache: str, counts: tuple[float, float]) -> None:
    """The gateway asks its workers every so often."""
    wait_until(lambda: lookups(gateway, cache) == counts, f"{cache} has {counts}, not {lookups(gateway, cache)}")


def test_a_repeated_request_is_answered_with_the_same_file_and_another_seed_encodes_nothing(program, image_model, tmp_path, logs):
    with configured(program, image_model, tmp_path, logs / "repeats.log") as gateway:
        first = draw(gateway)
        assert draw(gateway) == first
        wait_for(gateway, "picture", (1, 1))
        encoded = lookups(gateway, "prompt_embedding")
        assert encoded[0] == 0 and encoded[1] in (1, 2), "drawn once, with or without a negative prompt"
        assert draw(gateway, seed=2) != first
        wait_for(gateway, "prompt_embedding", (encoded[1], encoded[1]))
        assert draw(gateway, prompt="a house") != first
        wait_for(gateway, "picture", (1, 3))


@pytest.mark.parametrize("kept", ["repeat_cache_memory", "prompt_cache_memory"])
def test_without_memory_for_it_everything_is_done_again(program, image_model, tmp_path, logs, kept):
    with configured(program, image_model, tmp_path, logs / f"{kept}.log", **{kept: 0}) as gateway:
        first = draw(gateway)
        assert draw(gateway) == first, "the same request gives the same bytes"
        draw(gateway, seed=2)
        drawn = {"repeat_cache_memory": 3, "prompt_cache_memory": 2}[kept]
        wait_until(lambda: gateway.metric("worker_images_total") == drawn, f"{drawn} pictures are drawn")
        cache = {"repeat_cache_memory": "picture", "prompt_cache_memory": "prompt_embedding"}[kept]
        hits, misses = lookups(gateway, cache)
        assert hits == 0 and misses == {"repeat_cache_memory": 3, "prompt_cache_memory": 0}[kept], "one that is off is not asked"
        assert gateway.metric("worker_cache_bytes", cache=cache) == 0
