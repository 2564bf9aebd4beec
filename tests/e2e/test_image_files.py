"""Addresses of pictures: behind a proxy, with an end, and within a bound."""

import requests


def address(gateway, headers: dict | None = None, **more) -> str:
    body = {"model": "pictures", "prompt": "x", "size": "64x64", "response_format": "url"} | more
    answer = requests.post(f"{gateway.url}/v1/images/generations", json=body, headers=headers, timeout=60)
    assert answer.status_code == 200, answer.text
    return answer.json()["data"][0]["url"]


PROXY = {"X-Forwarded-For": "203.0.113.9", "X-Forwarded-Proto": "https", "X-Forwarded-Host": "ai.example.org",
         "X-Forwarded-Prefix": "/models"}


def test_behind_a_proxy_that_is_trusted_the_address_is_the_clients(scripted):
    gateway = scripted({"server": {"trusted_proxies": ["127.0.0.0/8"]}}, images=["pictures"])
    found = address(gateway, PROXY)
    assert found.startswith("https://ai.example.org/models/v1/images/files/")
    assert requests.get(found.replace("https://ai.example.org/models", gateway.url), timeout=60).status_code == 200
    assert 'peer="203.0.113.9"' in gateway.log_text() or "peer=203.0.113.9" in gateway.log_text()


def test_others_are_not_believed(scripted):
    gateway = scripted(images=["pictures"])
    assert address(gateway, PROXY).startswith(gateway.url + "/v1/images/files/")


def test_no_key_is_needed_for_what_has_an_address(scripted):
    gateway = scripted({"server": {"api_keys": ["secret"]}}, images=["pictures"])
    found = address(gateway, {"Authorization": "Bearer secret"})
    assert requests.get(found, timeout=60).status_code == 200
    assert requests.get(gateway.url + "/v1/models", timeout=60).status_code == 401


def test_files_in_a_folder_outlive_the_gateway_and_make_room(scripted, tmp_path):
    settings = {"image_files": {"folder": str(tmp_path / "files"), "max_bytes": "1MiB"}}
    gateway = scripted(settings, images=["pictures"])
    first = address(gateway)
    gateway.stop()
    gateway.start()
    assert requests.get(first, timeout=60).status_code == 200
    large = len(requests.get(address(gateway, size="2048x2048"), timeout=60).content)
    for seed in range((1 << 20) // large + 1):
        address(gateway, size="2048x2048", seed=seed)
    assert requests.get(first, timeout=60).status_code == 404, "the oldest makes room"
    gateway.stop()
    used = sum(file.stat().st_size for file in (tmp_path / "files").iterdir())
    assert used < 2 << 20, used


def test_addresses_may_be_switched_off(scripted):
    gateway = scripted({"image_files": {"enabled": False}}, images=["pictures"])
    answer = requests.post(f"{gateway.url}/v1/images/generations", timeout=60,
                           json={"model": "pictures", "prompt": "x", "size": "64x64", "response_format": "url"})
    assert answer.status_code == 400
    assert answer.json()["error"]["param"] == "response_format"
