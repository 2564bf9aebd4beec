"""What is kept, over restarts and crashes of the gateway, and who may see it."""

import signal

import requests

from support.gateway import wait_until


def respond(gateway, text: str, key: str | None = None, **more) -> dict:
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    answer = requests.post(f"{gateway.url}/v1/responses", json={"model": "chat", "input": text} | more, headers=headers, timeout=60)
    assert answer.ok, answer.text
    return answer.json()


def show(gateway, response_id: str, key: str | None = None) -> requests.Response:
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    return requests.get(f"{gateway.url}/v1/responses/{response_id}", headers=headers, timeout=60)


def test_responses_outlive_a_restart(scripted, tmp_path):
    settings = {"store": {"folder": str(tmp_path / "store")}}
    first = scripted(settings)
    made = respond(first, "hello there")
    assert first.stop() == 0
    second = scripted(settings)
    assert show(second, made["id"]).json() == made
    again = respond(second, "go on", previous_response_id=made["id"])
    assert again["usage"]["input_tokens"] > made["usage"]["input_tokens"]


def test_a_response_under_way_is_failed_after_a_crash(scripted, tmp_path):
    settings = {"store": {"folder": str(tmp_path / "store")}}
    first = scripted(settings)
    done = respond(first, "hello")
    running = respond(first, "[[tokens=1000 delay_ms=100]]", background=True)
    wait_until(lambda: show(first, running["id"]).json()["status"] == "in_progress", "a running response")
    first.process.send_signal(signal.SIGKILL)
    first.process.wait()
    second = scripted(settings)
    failed = show(second, running["id"]).json()
    assert failed["status"] == "failed"
    assert failed["error"]["code"] == "server_error"
    assert show(second, done["id"]).json() == done


def test_a_response_under_way_is_failed_when_the_gateway_ends(scripted, tmp_path):
    settings = {"store": {"folder": str(tmp_path / "store")}}
    first = scripted(settings)
    running = respond(first, "[[tokens=1000 delay_ms=100]]", background=True)
    assert first.stop() == 0
    assert show(scripted(settings), running["id"]).json()["status"] == "failed"


def test_two_gateways_do_not_share_a_folder(scripted, tmp_path):
    settings = {"store": {"folder": str(tmp_path / "store")}}
    scripted(settings)
    second = scripted(settings, wait=None)
    assert second.process.wait(60) != 0
    assert "in use by another gateway" in second.log_text()


def test_a_key_sees_only_its_own_also_when_keys_move(scripted, tmp_path):
    store = {"folder": str(tmp_path / "store")}
    first = scripted({"store": store, "server": {"api_keys": ["key-a"], "clients": [{"name": "c", "key": "key-c"}]}})
    of_a = respond(first, "hello", "key-a")["id"]
    of_c = respond(first, "hello", "key-c")["id"]
    assert show(first, of_a, "key-c").status_code == show(first, of_c, "key-a").status_code == 404
    first.stop()
    second = scripted({"store": store, "server": {"api_keys": ["key-b", "key-a"], "clients": [{"name": "c", "key": "key-d"}]}})
    assert show(second, of_a, "key-a").status_code == 200
    assert show(second, of_a, "key-b").status_code == 404
    assert show(second, of_c, "key-d").status_code == 200, "a client keeps what it has when its key is replaced"


def test_a_client_that_leaves_does_not_end_a_response_in_the_background(scripted):
    gateway = scripted()
    with requests.post(f"{gateway.url}/v1/responses", stream=True, timeout=60,
                       json={"model": "chat", "input": "[[tokens=20 delay_ms=20]]", "background": True, "stream": True}) as stream:
        lines = stream.iter_lines()
        line = next(line for line in lines if b"response.created" in line and line.startswith(b"data: "))
    response_id = requests.compat.json.loads(line[6:])["response"]["id"]
    wait_until(lambda: show(gateway, response_id).json()["status"] == "completed", "the response without its client")


def test_without_a_store_nothing_is_kept(scripted):
    gateway = scripted({"store": {"enabled": False}})
    made = respond(gateway, "hello")
    assert made["store"] is False
    assert show(gateway, made["id"]).status_code == 404
    refused = requests.post(f"{gateway.url}/v1/responses", json={"model": "chat", "input": "x", "background": True}, timeout=60)
    assert refused.json()["error"]["param"] == "background"
