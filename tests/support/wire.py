"""HTTP as it is on the wire, for what client libraries hide: headers, chunks as they arrive, connections cut short."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Callable
from dataclasses import dataclass, field

# Is shown every whole answer: method, path, status, headers, body.
observer: Callable[[str, str, int, dict[str, str], bytes], None] | None = None


@dataclass
class Event:
    """One server-sent event: `data` is its text, or its comment when it has none."""

    data: str
    comment: str = ""
    arrived: float = field(default_factory=time.monotonic)

    def json(self) -> dict:
        return json.loads(self.data)


class Connection:
    """One keep-alive connection, blocking, with a time limit for each read."""

    def __init__(self, port: int, seconds: float = 600):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=seconds)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.reader = self.socket.makefile("rb")
        self.asked: tuple[str, str] | None = None
        self.status = 0
        self.headers: dict[str, str] = {}

    def __enter__(self) -> Connection:
        return self

    def __exit__(self, *_) -> None:
        self.close()

    def close(self) -> None:
        self.reader.close()
        self.socket.close()

    def send(self, method: str, path: str, body: bytes | dict | None = None, headers: dict[str, str] | None = None) -> None:
        if isinstance(body, dict):
            body = json.dumps(body).encode()
        lines = [f"{method} {path} HTTP/1.1", "Host: localhost"]
        if body is not None:
            lines += ["Content-Type: application/json", f"Content-Length: {len(body)}"]
        lines += [f"{name}: {value}" for name, value in (headers or {}).items()]
        self.asked = method, path
        self.socket.sendall("\r\n".join(lines).encode() + b"\r\n\r\n" + (body or b""))

    def read_head(self) -> int:
        status_line = self.reader.readline()
        assert status_line, "the connection was closed without an answer"
        self.status = int(status_line.split()[1])
        self.headers = {}
        while (line := self.reader.readline()) not in (b"\r\n", b""):
            name, _, value = line.decode().partition(":")
            self.headers[name.lower()] = value.strip()
        return self.status

    def chunks(self):
        """The pieces of a chunked body as they arrive, to its end."""
        pieces = []
        while True:
            size = int(self.reader.readline().split(b";")[0], 16)
            piece = self.reader.read(size)
            self.reader.readline()
            if size == 0:
                self.show(b"".join(pieces))
                return
            pieces.append(piece)
            yield piece

    def read_body(self) -> bytes:
        if self.headers.get("transfer-encoding") == "chunked":
            return b"".join(self.chunks())
        body = self.reader.read(int(self.headers.get("content-length", 0)))
        self.show(body)
        return body

    def show(self, body: bytes) -> None:
        if observer and self.asked:
            observer(*self.asked, self.status, self.headers, body)

    def ask(self, method: str, path: str, body: bytes | dict | None = None, headers: dict[str, str] | None = None) -> bytes:
        self.send(method, path, body, headers)
        self.read_head()
        return self.read_body()

    def events(self):
        """The server-sent events of a streamed body as they arrive; comments too."""
        pending = b""
        for piece in self.chunks():
            pending += piece
            while b"\n\n" in pending:
                block, pending = pending.split(b"\n\n", 1)
                lines = block.decode("utf-8").split("\n")
                data = [line[5:].lstrip() for line in lines if line.startswith("data:")]
                yield Event(data="\n".join(data), comment="" if data else block.decode())
        assert not pending, f"the stream ended inside an event: {pending!r}"


def stream(port: int, body: dict, path: str = "/v1/chat/completions") -> tuple[list[dict], dict[str, str]]:
    """A whole stream: its chunks as JSON, checked to end with [DONE], and the headers."""
    with Connection(port) as connection:
        connection.send("POST", path, body | {"stream": True})
        status = connection.read_head()
        assert status == 200, connection.read_body()
        data = [event.data for event in connection.events() if event.data]
    assert data[-1] == "[DONE]"
    return [json.loads(text) for text in data[:-1]], connection.headers


def text_of(chunks: list[dict], choice: int = 0) -> str:
    return "".join(
        part["delta"].get("content") or "" for chunk in chunks for part in chunk["choices"] if part["index"] == choice)
