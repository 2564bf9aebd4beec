"""Image jobs from beside the request that waits for them: where they are, who may stop them, what a stopped one leaves behind."""

import threading

import requests

from support.gateway import Gateway, wait_until
from support.wire import Connection

PATH = "/v1/images/generations"
# Ends only when somebody ends it, as far as a test can wait.
ENDLESS = {"prompt": "[[delay_ms=100]]", "size": "64x64", "steps": 500, "model": "pictures"}
SHORT = {"prompt": "a boat", "size": "64x64", "steps": 4, "model": "pictures"}


def key(name: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {name}"}


def jobs(gateway: Gateway, headers: dict[str, str] | None = None) -> list[dict]:
    return requests.get(f"{gateway.url}/v1/images/jobs", headers=headers, timeout=60).json()["data"]


def running(gateway: Gateway, headers: dict[str, str] | None = None, step: int = 3) -> dict:
    """The job that is drawn, once it has come so far."""
    return wait_until(
        lambda: next((job for job in jobs(gateway, headers) if job["status"] == "in_progress" and job["step"] >= step), None),
        f"a job at step {step}")


class Asking(threading.Thread):
    """A client that waits for its answer."""

    def __init__(self, gateway: Gateway, body: dict, path: str = PATH, headers: dict[str, str] | None = None):
        super().__init__()
        self.arguments = {"url": gateway.url + path, "json": body, "headers": headers, "timeout": 120}
        self.answer: requests.Response | None = None
        self.start()

    def run(self) -> None:
        self.answer = requests.post(**self.arguments)

    def wait(self) -> requests.Response:
        self.join(120)
        assert self.answer is not None
        return self.answer


def test_39_a_job_is_cancelled_by_its_id(scripted):
    gateway = scripted(images=["pictures"])
    asking = Asking(gateway, ENDLESS)
    job = running(gateway)
    cancelled = requests.post(f"{gateway.url}/v1/images/jobs/{job['id']}/cancel", timeout=60).json()
    assert cancelled["status"] == "cancelled"
    answer = asking.wait()
    assert answer.status_code == 499
    assert answer.json()["error"]["code"] == "cancelled"
    wait_until(lambda: gateway.metric("worker_jobs_running", model="pictures") == 0, "the worker is free")
    assert requests.post(gateway.url + PATH, json=SHORT, timeout=60).ok


def test_39_a_client_that_leaves_ends_its_job(scripted):
    gateway = scripted(images=["pictures"])
    for streamed in (True, False):
        connection = Connection(gateway.port)
        connection.send("POST", PATH, ENDLESS | {"stream": streamed})
        job = running(gateway)
        connection.close()
        wait_until(lambda: requests.get(f"{gateway.url}/v1/images/jobs/{job['id']}", timeout=60).json()["status"] == "cancelled",
                   "the job is cancelled")
        assert requests.post(gateway.url + PATH, json=SHORT, timeout=60).ok, "the worker is free for the next one"


def test_a_job_that_waits_is_cancelled_without_touching_the_one_that_runs(scripted):
    gateway = scripted(images=["pictures"])
    first = Asking(gateway, ENDLESS)
    running(gateway)
    second = Asking(gateway, SHORT)
    waiting = wait_until(lambda: next((job for job in jobs(gateway) if job["status"] == "queued"), None), "one waits")
    assert waiting["position"] == 1
    requests.post(f"{gateway.url}/v1/images/jobs/{waiting['id']}/cancel", timeout=60)
    assert second.wait().status_code == 499
    requests.post(f"{gateway.url}/v1/images/jobs/{running(gateway)['id']}/cancel", timeout=60)
    assert first.wait().status_code == 499


def test_jobs_of_others_are_not_there(scripted):
    gateway = scripted({"server": {"clients": [{"name": "anna", "key": "key-of-anna"}, {"name": "berta", "key": "key-of-berta"}]}},
                       images=["pictures"])
    anna, berta = key("key-of-anna"), key("key-of-berta")
    asking = Asking(gateway, ENDLESS, headers=anna)
    job = running(gateway, anna)
    place = f"{gateway.url}/v1/images/jobs/{job['id']}"
    assert jobs(gateway, berta) == []
    assert requests.get(place, headers=berta, timeout=60).status_code == 404
    assert requests.post(f"{place}/cancel", headers=berta, timeout=60).status_code == 404
    assert requests.post(f"{gateway.url}/sdapi/v1/interrupt", headers=berta, timeout=60).ok
    assert requests.get(f"{gateway.url}/sdapi/v1/progress", headers=berta, timeout=60).json()["state"]["job_count"] == 0
    assert requests.get(place, headers=anna, timeout=60).json()["status"] == "in_progress"
    assert requests.post(f"{place}/cancel", headers=anna, timeout=60).ok
    assert asking.wait().status_code == 499


def test_a_full_queue_says_when_the_next_place_is_free(scripted):
    gateway = scripted({"models": [{"name": "pictures", "kind": "image", "path": "scripted", "max_waiting": 0}]}, models=())
    asking = Asking(gateway, ENDLESS)
    job = running(gateway)
    refused = requests.post(gateway.url + PATH, json=SHORT, timeout=60)
    assert refused.status_code == 429
    left = requests.get(f"{gateway.url}/v1/images/jobs/{job['id']}", timeout=60).json()
    # Predicted from its own steps, of which there are more than 400 of at least a tenth of a second to come.
    assert int(refused.headers["Retry-After"]) >= 40
    assert left["predicted_seconds"] >= 40
    assert "x-job-id" not in refused.headers
    requests.post(f"{gateway.url}/v1/images/jobs/{job['id']}/cancel", timeout=60)
    asking.wait()


def test_38_a_stream_tells_its_place_and_time(scripted):
    gateway = scripted(images=["pictures"])
    first = Asking(gateway, ENDLESS)
    job = running(gateway)
    with Connection(gateway.port) as connection:
        connection.send("POST", PATH, SHORT | {"stream": True, "return_progress": True})
        wait_until(lambda: any(each["status"] == "queued" for each in jobs(gateway)), "the second one waits")
        assert connection.read_head() == 200
        assert connection.headers["x-queue-position"] == "1"
        assert connection.headers["x-job-id"].startswith("img-")
        requests.post(f"{gateway.url}/v1/images/jobs/{job['id']}/cancel", timeout=60)
        events = [event.json() for event in connection.events() if event.data]
    first.wait()
    places = [event["position"] for event in events if event["type"] == "image_generation.queued"]
    assert places == [1, 0], "told at first, and when the one before it was gone"
    steps = [event["step"] for event in events if event["type"] == "image_generation.progress"]
    assert steps == [1, 2, 3, 4]
    assert events[-1]["type"] == "image_generation.completed"


def test_an_interrupted_request_of_automatic1111_is_answered(scripted):
    gateway = scripted(images=["pictures"])
    asking = Asking(gateway, {"prompt": "[[delay_ms=100]]", "width": 64, "height": 64, "steps": 500}, "/sdapi/v1/txt2img")
    job = running(gateway)
    progress = requests.get(f"{gateway.url}/sdapi/v1/progress", timeout=60).json()
    assert progress["state"]["job"] == job["id"]
    assert progress["state"]["sampling_steps"] == 500
    assert 0 < progress["progress"] < 1
    assert requests.post(f"{gateway.url}/sdapi/v1/interrupt", timeout=60).ok
    answer = asking.wait()
    assert answer.status_code == 200, answer.text
    assert len(answer.json()["images"]) <= 1
