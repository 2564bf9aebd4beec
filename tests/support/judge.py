"""Every answer that a test in contract/ or golden/ gets from a gateway is judged, whichever client asked for it: by our own OpenAPI
document and by the published descriptions. Streams are judged event by event.

A plugin of pytest: `-p support.judge`. Answers are seen on their way through requests, the HTTP library of OpenAI's client,
wire.Connection, and, of clients that are programs of their own, support/relay.py.
"""

from __future__ import annotations

import functools
import json
import re
from pathlib import Path
from urllib.parse import urlsplit

import httpx2
import pytest
import requests

from support import wire
from support.closed import Closed
from support.published import descriptions

OURS = Path(__file__).resolve().parents[1] / "golden/openapi.json"
# Events that the descriptions do not have among those of their streams: Anthropic's documentation has them in its text, and
# progress is an extension that comes when it is asked for.
BESIDE = {"ping", "error", "image_generation.progress", "image_generation.queued", "image_edit.progress", "image_edit.queued"}


@functools.cache
def ours() -> Closed:
    return Closed(json.loads(OURS.read_text()))


def our_operation(method: str, path: str) -> tuple[str, dict] | None:
    """The path as our document writes it, and the operation: the one with the fewest parameters."""
    fitting = []
    for template, operations in ours().document["paths"].items():
        pattern = "".join(re.escape(part) if part[0] != "{" else "[^/]+" if part != "{model}" else ".+"
                          for part in re.split(r"(\{[^}]*\})", template) if part)
        if method.lower() in operations and re.fullmatch(pattern, path):
            fitting.append((template.count("{"), template))
    if not fitting:
        return None
    template = min(fitting)[1]
    return template, ours().document["paths"][template][method.lower()]


def published_operation(document: dict, method: str, template: str) -> dict | None:
    """The operation that a published description has at this path, whatever it calls the parameters."""
    for path, operations in document["paths"].items():
        if nameless(path) == nameless(template) and method.lower() in operations:
            return operations[method.lower()]
    return None


def nameless(template: str) -> str:
    return re.sub(r"\{[^}]*\}", "{}", template)


class Answer:
    """What a gateway sent: the head as it was, and the body without its transfer coding."""

    def __init__(self, method: str, url: str, status: int, headers: dict[str, str], body: bytes):
        self.method = method
        self.path = urlsplit(url).path
        self.status = status
        self.headers = headers
        self.media_type = headers.get("content-type", "").partition(";")[0]
        self.body = body

    def __str__(self) -> str:
        return f"{self.method} {self.path} -> {self.status} {self.media_type}"

    def events(self) -> list[dict]:
        """Those that are whole, with JSON data parsed: a client may leave in the middle."""
        found = []
        for block in self.body[: self.body.rfind(b"\n\n") + 1].decode().split("\n\n"):
            fields: dict[str, str] = {}
            for line in block.split("\n"):
                name, _, value = line.partition(": ")
                if name:
                    fields[name] = fields[name] + "\n" + value if name in fields else value
            if "data" in fields:
                found.append(fields | {"data": json.loads(fields["data"])} if fields["data"] != "[DONE]" else fields)
        return found


def judge_ours(answer: Answer) -> None:
    found = our_operation(answer.method, answer.path)
    if found is None:
        return
    template, described = found
    response = described["responses"].get(str(answer.status))
    assert response is not None, f"{answer}: this status is not documented"
    if "$ref" in response:
        response = ours().document["components"]["responses"][response["$ref"].rsplit("/", 1)[-1]]
    if "content" not in response:
        return
    content = response["content"].get(answer.media_type)
    assert content is not None, f"{answer}: this type is not documented"
    what = f"our document of {answer.method} {template} {answer.status}"
    if answer.media_type == "application/json":
        ours().check(content["schema"], json.loads(answer.body), what)
    elif answer.media_type == "text/event-stream":
        for event in answer.events():
            ours().check(of_parsed_data(content["itemSchema"], ours().schemas), event, what)


def of_parsed_data(schema: dict, schemas: dict) -> dict:
    """The schema of an event whose `data` is a parsed value instead of its text."""
    if "$ref" in schema:
        return of_parsed_data(schemas[schema["$ref"].rsplit("/", 1)[-1]], schemas)
    if "anyOf" in schema:
        return {"anyOf": [of_parsed_data(one, schemas) for one in schema["anyOf"]]}
    data = schema["properties"]["data"]
    return schema | {"properties": schema["properties"] | {"data": data.get("contentSchema", data)}}


def judge_published(answer: Answer) -> None:
    found = our_operation(answer.method, answer.path)
    if found is None:
        return
    anthropic = answer.path.startswith("/v1/messages")
    template = found[0] if anthropic else found[0].removeprefix("/v1")
    for description in descriptions("anthropic" if anthropic else "openai"):
        described = published_operation(description.document, answer.method, template)
        if described is None:
            continue
        what = f"the published description of {answer.method} {template} {answer.status}"
        if answer.status >= 400:
            if not anthropic:
                description.check({"$ref": "#/components/schemas/ErrorResponse"}, json.loads(answer.body), what)
            continue
        contents = described["responses"].get(str(answer.status), {}).get("content", {})
        if answer.media_type == "application/json" and "application/json" in contents:
            description.check(contents["application/json"]["schema"], json.loads(answer.body), what)
        elif answer.media_type == "text/event-stream":
            schema = contents.get("text/event-stream", contents.get("application/json"))["schema"]
            schema = STREAMS.get((answer.method, template), schema)
            for event in answer.events():
                data = event["data"]
                if data == "[DONE]" or data.get("type") in BESIDE:
                    continue
                if "error" in data and "type" not in data and not anthropic:
                    description.check({"$ref": "#/components/schemas/ErrorResponse"}, data, what)
                else:
                    description.check(schema, data, what)


# Streams whose operation describes only the whole answer.
STREAMS = {
    ("GET", "/responses/{response_id}"): {"$ref": "#/components/schemas/ResponseStreamEvent"},
    ("POST", "/v1/messages"): {"$ref": "#/components/schemas/MessageStreamEvent"},
}


class Judge:
    """Counts what it has seen, so that a test can tell that it does see."""

    def __init__(self):
        self.answers = 0
        self.events = 0
        self.faults: list[str] = []

    def see(self, method: str, url: str, status: int, headers: dict[str, str], body: bytes) -> None:
        answer = Answer(method, url, status, {name.lower(): value for name, value in headers.items()}, body)
        if answer.method not in ("GET", "POST", "DELETE"):
            return
        self.answers += 1
        try:
            if answer.media_type == "text/event-stream":
                self.events += len(answer.events())
            judge_ours(answer)
            judge_published(answer)
        except AssertionError as fault:
            self.faults.append(str(fault))


class SeenStream(httpx2.SyncByteStream):
    """Passes a body on, and shows it when the client closes it."""

    def __init__(self, stream: httpx2.SyncByteStream, show):
        self.stream = stream
        self.show = show
        self.pieces: list[bytes] = []

    def __iter__(self):
        for piece in self.stream:
            self.pieces.append(piece)
            yield piece

    def close(self) -> None:
        self.stream.close()
        self.show(b"".join(self.pieces))


@pytest.fixture(scope="session")
def judge() -> Judge:
    return Judge()


@pytest.fixture(autouse=True)
def answers_are_judged(judge: Judge, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch):
    """A test fails when an answer that it got is none of those described, whatever the test itself looks at."""
    if not {"contract", "golden"} & set(request.path.parts):
        yield
        return
    send, handle = requests.Session.send, httpx2.HTTPTransport.handle_request

    def seen_send(self, prepared, **options):
        answer = send(self, prepared, **options)
        if not options.get("stream"):
            judge.see(prepared.method, prepared.url, answer.status_code, answer.headers, answer.content)
        return answer

    def seen_handle(self, asked):
        answer = handle(self, asked)
        if asked.url.host == "127.0.0.1" and "content-encoding" not in answer.headers:
            answer.stream = SeenStream(answer.stream, functools.partial(
                judge.see, asked.method, str(asked.url), answer.status_code, answer.headers))
        return answer

    monkeypatch.setattr(requests.Session, "send", seen_send)
    monkeypatch.setattr(httpx2.HTTPTransport, "handle_request", seen_handle)
    monkeypatch.setattr(wire, "observer", judge.see)
    yield
    faults, judge.faults = judge.faults, []
    assert not faults, "\n\n".join(faults[:5])
