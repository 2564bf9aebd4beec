"""What the gateway puts right by itself, and how it is ended when it is not waited for."""

import signal

import psutil
import requests

from support.gateway import wait_until
from support.wire import Connection


def test_a_model_whose_file_appears_later_is_loaded_without_a_restart(scripted, say, tmp_path):
    file = tmp_path / "late.gguf"
    gateway = scripted(models=[f"late={file}"], wait="live")

    def model() -> dict:
        return requests.get(f"{gateway.url}/v1/models", timeout=10).json()["data"][0]

    failed = wait_until(lambda: model() if model()["state"] == "failed" else None, "the model is failed")
    assert "late.gguf does not exist" in failed["problem"]
    file.write_bytes(b"now there is one")
    gateway.wait_for("/health/ready")
    answer = requests.post(f"{gateway.url}/v1/chat/completions", json=say("hello", model="late"), timeout=60).json()
    assert answer["choices"][0]["message"]["content"] == "hello"


def test_a_second_signal_ends_the_gateway_at_once(scripted, say):
    gateway = scripted(images=["pictures"])
    workers = list(gateway.workers().values())
    with Connection(gateway.port) as connection:
        connection.send("POST", "/v1/chat/completions", say("[[tokens=4000 delay_ms=20]]", stream=True))
        connection.read_head()
        gateway.process.send_signal(signal.SIGINT)
        wait_until(lambda: "accepted requests are finished first" in gateway.log_text(), "the gateway drains")
        gateway.process.send_signal(signal.SIGINT)
        gateway.process.wait(20)
        gone, alive = psutil.wait_procs(workers, timeout=20)
    assert not alive


def test_workers_do_not_see_the_keys(scripted, monkeypatch):
    monkeypatch.setenv("LLM_GATEWAY_API_KEY", "a-secret-key")
    gateway = scripted()
    assert requests.get(f"{gateway.url}/v1/models", timeout=10).status_code == 401
    for worker in gateway.workers().values():
        assert "LLM_GATEWAY_API_KEY" not in worker.environ()
        assert "a-secret-key" not in " ".join(worker.cmdline())
