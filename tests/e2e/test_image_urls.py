"""Pictures that a request names by an address, in every API that takes pictures."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
import requests

from support import tiny_vision
from support.gateway import Gateway
from support.pictures import data_url, png

PAGES = {"/red.png": png(seed=1), "/green.png": png(seed=2), "/text.png": b"This is no picture."}


class Pages(BaseHTTPRequestHandler):
    def do_GET(self):
        if self.path == "/moved.png":
            self.send_response(301)
            self.send_header("Location", "/red.png")
            self.send_header("Content-Length", "0")
        elif self.path in PAGES:
            self.send_response(200)
            self.send_header("Content-Length", str(len(PAGES[self.path])))
        else:
            self.send_response(404)
            self.send_header("Content-Length", "0")
        self.end_headers()
        self.wfile.write(PAGES.get(self.path, b""))

    def log_message(self, *_):
        pass


@pytest.fixture(scope="module")
def site():
    with ThreadingHTTPServer(("127.0.0.1", 0), Pages) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.fixture(scope="module")
def gateway(program, chat_model, logs, site, tmp_path_factory):
    folder = tmp_path_factory.mktemp("image-urls")
    model, projector = tiny_vision.at_once(folder, chat_model)
    settings = {
        "models": [{"name": "seeing", "kind": "text", "path": str(model), "projector": str(projector), "context": 2048}],
        "image_urls": {"hosts": [site.removeprefix("http://")], "private_addresses": True},
    }
    configuration = folder / "gateway.yaml"
    configuration.write_text(json.dumps(settings))
    with Gateway(program, ["--config", str(configuration)], logs / "image-urls.log") as running:
        yield running


def chat(gateway: Gateway, url: str) -> requests.Response:
    parts = [{"type": "text", "text": "What is this?"}, {"type": "image_url", "image_url": {"url": url, "detail": "high"}}]
    body = {"model": "seeing", "messages": [{"role": "user", "content": parts}], "max_tokens": 12, "temperature": 0}
    return requests.post(f"{gateway.url}/v1/chat/completions", json=body, timeout=120)


def responses(gateway: Gateway, url: str) -> requests.Response:
    parts = [{"type": "input_text", "text": "What is this?"}, {"type": "input_image", "image_url": url, "detail": "auto"}]
    body = {"model": "seeing", "input": [{"role": "user", "content": parts}], "max_output_tokens": 12, "temperature": 0}
    return requests.post(f"{gateway.url}/v1/responses", json=body, timeout=120)


def messages(gateway: Gateway, url: str) -> requests.Response:
    if url.startswith("data:"):
        kind, data = url.removeprefix("data:").split(";base64,")
        source = {"type": "base64", "media_type": kind, "data": data}
    else:
        source = {"type": "url", "url": url}
    parts = [{"type": "text", "text": "What is this?"}, {"type": "image", "source": source}]
    body = {"model": "seeing", "messages": [{"role": "user", "content": parts}], "max_tokens": 12, "temperature": 0}
    return requests.post(f"{gateway.url}/v1/messages", json=body, timeout=120)


def said(reply: requests.Response) -> str:
    assert reply.status_code == 200, reply.text
    answer = reply.json()
    if "choices" in answer:
        return answer["choices"][0]["message"]["content"]
    if "output" in answer:
        return "".join(part["text"] for item in answer["output"] for part in item["content"])
    return "".join(block["text"] for block in answer["content"])


APIS = {"chat": chat, "responses": responses, "messages": messages}


@pytest.mark.parametrize("api", APIS)
def test_a_picture_elsewhere_is_as_one_in_the_request(gateway, site, api):
    ask = APIS[api]
    here = said(ask(gateway, data_url(PAGES["/red.png"])))
    assert said(ask(gateway, f"{site}/red.png")) == here
    assert said(ask(gateway, f"{site}/moved.png")) == here
    assert said(ask(gateway, f"{site}/green.png")) != here


@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize("path", ["/gone.png", "/text.png", "/"])
def test_what_is_not_there_or_no_picture_is_refused(gateway, site, api, path):
    reply = APIS[api](gateway, site + path)
    assert reply.status_code == 400, reply.text


@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize("url", ["https://example.org/a.png", "http://169.254.169.254/latest", "file:///etc/passwd", "a.png"])
def test_other_hosts_are_not_asked(gateway, api, url):
    reply = APIS[api](gateway, url)
    assert reply.status_code == 400, reply.text


def test_the_place_of_the_picture_is_named(gateway, site):
    assert chat(gateway, f"{site}/gone.png").json()["error"]["param"] == "messages[0].content[1]"
    assert responses(gateway, f"{site}/gone.png").json()["error"]["param"] == "input[0].content[1]"


def test_without_the_setting_nobody_is_asked(program, chat_model, logs, site, tmp_path):
    model, projector = tiny_vision.at_once(tmp_path, chat_model)
    settings = {"models": [{"name": "seeing", "kind": "text", "path": str(model), "projector": str(projector)}]}
    configuration = tmp_path / "gateway.yaml"
    configuration.write_text(json.dumps(settings))
    with Gateway(program, ["--config", str(configuration)], logs / "no-image-urls.log") as gateway:
        reply = chat(gateway, f"{site}/red.png")
    assert reply.status_code == 400
    assert "downloads no images" in reply.json()["error"]["message"]
