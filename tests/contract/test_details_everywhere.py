"""The details that strict clients trip over, for every endpoint that takes a body: as they are on the wire."""

import json
import socket

import pytest

from conftest import CHAT, IMAGES
from support.wire import Connection

HELLO = [{"role": "user", "content": "Say hello."}]
#: Requests that are fine.
BODIES = {
    "/v1/chat/completions": {"model": CHAT, "messages": HELLO, "max_tokens": 3},
    "/v1/completions": {"model": CHAT, "prompt": "Once", "max_tokens": 3},
    "/v1/responses": {"model": CHAT, "input": "Say hello.", "max_output_tokens": 3},
    "/v1/messages": {"model": CHAT, "messages": HELLO, "max_tokens": 3},
    "/v1/messages/count_tokens": {"model": CHAT, "messages": HELLO},
    "/v1/chat/completions/input_tokens": {"model": CHAT, "messages": HELLO},
    "/v1/responses/input_tokens": {"model": CHAT, "input": "Say hello."},
    "/v1/embeddings": {"model": CHAT, "input": "hello"},
    "/v1/rerank": {"model": CHAT, "query": "hello", "documents": ["hi"]},
    "/tokenize": {"model": CHAT, "content": "hello"},
    "/detokenize": {"model": CHAT, "tokens": [1]},
    "/apply-template": {"model": CHAT, "messages": HELLO},
    "/v1/images/generations": {"model": IMAGES, "prompt": "a tree", "size": "64x64", "steps": 1},
}
STREAMS = ["/v1/chat/completions", "/v1/completions", "/v1/responses", "/v1/messages"]
LONG = "many words " * 20000


def check_error(path: str, connection: Connection, answer: bytes, status: int) -> dict:
    assert connection.status == status, answer
    assert connection.headers["content-type"].startswith("application/json")
    assert connection.headers["x-request-id"]
    body = json.loads(answer)
    error = body["error"]
    assert isinstance(error["message"], str) and error["message"] and isinstance(error["type"], str)
    if path.startswith("/v1/messages"):
        assert body["type"] == "error"
        assert body["request_id"] == connection.headers["x-request-id"]
    else:
        assert error["param"] is None or isinstance(error["param"], str)
        assert error["code"] is None or isinstance(error["code"], str)
    return error


@pytest.mark.parametrize("path", BODIES)
def test_49_errors_have_their_keys_and_the_connection_goes_on(gateway, path):
    with Connection(gateway.port) as connection:
        for body, status in ((b"{", 400), (BODIES[path] | {"model": "gpt-9"}, 404), (BODIES[path] | {"model": 7}, 400),
                             (b"[]", 400), (b"", 400)):
            check_error(path, connection, connection.ask("POST", path, body), status)
        error = check_error(path, connection, connection.ask("POST", path, BODIES[path] | {"model": 7}), 400)
        assert "model" in (error.get("param") or error["message"])


@pytest.mark.parametrize("path", BODIES)
def test_405_names_every_method_that_is_allowed(gateway, path):
    with Connection(gateway.port) as connection:
        for method in ("PUT", "PATCH"):
            headers = {"anthropic-version": "2023-06-01"} if path.startswith("/v1/messages") else {}
            check_error(path, connection, connection.ask(method, path, b"{}", headers), 405)
            assert "POST" in [name.strip() for name in connection.headers["allow"].split(",")]


@pytest.mark.parametrize("path", BODIES)
def test_413_has_a_body_everywhere(gateway, path):
    with Connection(gateway.port) as connection:
        head = f"POST {path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 99999999999\r\n\r\n"
        connection.socket.sendall(head.encode())
        connection.read_head()
        check_error(path, connection, connection.read_body(), 413)


@pytest.mark.parametrize("path", BODIES)
def test_415_for_what_is_no_json(gateway, path):
    with Connection(gateway.port) as connection:
        head = f"POST {path} HTTP/1.1\r\nHost: x\r\nContent-Type: text/csv\r\nContent-Length: 3\r\n\r\na,b"
        connection.socket.sendall(head.encode())
        connection.read_head()
        check_error(path, connection, connection.read_body(), 415)


@pytest.mark.parametrize("path", STREAMS)
def test_a_connection_is_kept_after_every_kind_of_stream(gateway, path):
    with Connection(gateway.port) as connection:
        for _ in range(2):
            connection.send("POST", path, BODIES[path] | {"stream": True})
            assert connection.read_head() == 200
            assert connection.headers["transfer-encoding"] == "chunked"
            assert connection.headers.get("connection", "keep-alive") == "keep-alive"
            assert connection.headers["x-request-id"]
            list(connection.events())
        assert json.loads(connection.ask("GET", "/v1/models"))["object"] == "list"


def ask_1_0(port: int, path: str, body: dict, *headers: str) -> tuple[bytes, bytes, bool]:
    """Head and body of an answer to HTTP/1.0, and whether the connection was closed behind it."""
    text = json.dumps(body).encode()
    lines = [f"POST {path} HTTP/1.0", "Content-Type: application/json", f"Content-Length: {len(text)}", *headers]
    with socket.create_connection(("127.0.0.1", port), timeout=120) as connection:
        connection.sendall("\r\n".join(lines).encode() + b"\r\n\r\n" + text)
        answer = b""
        while piece := connection.recv(65536):
            answer += piece
            head, _, content = answer.partition(b"\r\n\r\n")
            length = [line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")]
            if length and len(content) >= int(length[0].split(b":")[1]):
                connection.settimeout(2)
                try:
                    return head.lower(), content, connection.recv(1) == b""
                except TimeoutError:
                    return head.lower(), content, False
        return head.lower(), content, True


@pytest.mark.parametrize("path", STREAMS)
def test_no_stream_is_chunked_for_http_1_0(gateway, path):
    head, content, closed = ask_1_0(gateway.port, path, BODIES[path] | {"stream": True})
    assert head.startswith(b"http/1.") and b" 200 " in head.split(b"\r\n")[0]
    assert b"transfer-encoding" not in head and closed
    assert b"data: {" in content and content.endswith(b"\n\n")


@pytest.mark.parametrize("path", BODIES)
def test_no_error_is_chunked_for_http_1_0(gateway, path):
    head, content, closed = ask_1_0(gateway.port, path, BODIES[path] | {"model": "gpt-9"})
    assert b" 404 " in head.split(b"\r\n")[0]
    assert b"transfer-encoding" not in head and closed
    assert json.loads(content)["error"]["message"]


def test_http_1_0_may_ask_for_the_connection_to_be_kept(gateway):
    head, _, closed = ask_1_0(gateway.port, "/tokenize", BODIES["/tokenize"], "Connection: keep-alive")
    assert (b"connection: keep-alive" in head) == (not closed)


@pytest.mark.parametrize("request_bytes, status", [
    (b"GARBAGE\r\n\r\n", 400), (b"GET / HTTP/9.9\r\n\r\n", 400),
    (b"GET /v1/models HTTP/1.1\r\nHost: x\r\nx: " + b"a" * 100_000 + b"\r\n\r\n", 431),
    (b"GET /v1/%zz HTTP/1.1\r\nHost: x\r\n\r\n", 400),
    (b"POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Length: x\r\n\r\n", 400),
])
def test_what_is_no_request_has_an_error_and_an_id_too(gateway, request_bytes, status):
    with Connection(gateway.port) as connection:
        connection.socket.sendall(request_bytes)
        connection.read_head()
        check_error("", connection, connection.read_body(), status)


def test_one_created_in_a_stream_of_completions(gateway):
    with Connection(gateway.port) as connection:
        connection.send("POST", "/v1/completions", BODIES["/v1/completions"] | {"prompt": ["a", "b"], "stream": True})
        assert connection.read_head() == 200
        chunks = [json.loads(event.data) for event in connection.events() if event.data != "[DONE]" and event.data]
    assert len({(chunk["id"], chunk["created"]) for chunk in chunks}) == 1
    for chunk in chunks:
        for choice in chunk["choices"]:
            assert {"index", "text", "logprobs", "finish_reason"} <= choice.keys()


def test_every_event_of_a_response_is_numbered(gateway):
    with Connection(gateway.port) as connection:
        connection.send("POST", "/v1/responses", BODIES["/v1/responses"] | {"stream": True})
        assert connection.read_head() == 200
        events = [json.loads(event.data) for event in connection.events() if event.data]
    assert [event["sequence_number"] for event in events] == list(range(len(events)))
    created = {event["response"]["created_at"] for event in events if "response" in event}
    assert len(created) == 1


TOO_LONG = {
    "/v1/chat/completions": {"messages": [{"role": "user", "content": LONG}]},
    "/v1/completions": {"prompt": LONG},
    "/v1/responses": {"input": LONG},
    "/v1/messages": {"messages": [{"role": "user", "content": LONG}]},
}


@pytest.mark.parametrize("path", TOO_LONG)
@pytest.mark.parametrize("streamed", [False, True])
def test_26_a_prompt_that_is_too_long_in_the_words_that_clients_match(gateway, path, streamed):
    with Connection(gateway.port) as connection:
        answer = connection.ask("POST", path, BODIES[path] | TOO_LONG[path] | {"stream": streamed})
        error = check_error(path, connection, answer, 400)
    if path == "/v1/messages":
        assert error["type"] == "invalid_request_error"
        assert error["message"].startswith("prompt is too long: ")
    else:
        assert error["code"] == "context_length_exceeded"
        assert error["param"] in TOO_LONG[path]
        assert "maximum context length is " in error["message"]


@pytest.mark.parametrize("headers, status", [
    ({"Authorization": "bearer key-of-the-team"}, 200), ({"authorization": "BEARER   key-of-the-team"}, 200),
    ({"X-API-Key": "key-of-the-team"}, 200),
    ({"Authorization": "Basic key-of-the-team"}, 401), ({"Authorization": "key-of-the-team"}, 401),
    ({"Authorization": "Bearer"}, 401), ({}, 401), ({"X-API-Key": "another"}, 401),
])
def test_where_a_key_may_be(scripted, say, headers, status):
    gateway = scripted({"server": {"api_keys": ["key-of-the-team"]}})
    with Connection(gateway.port) as connection:
        answer = connection.ask("POST", "/v1/chat/completions", say("hi"), headers)
        assert connection.status == status, answer
        if status == 401:
            check_error("", connection, answer, 401)
            assert connection.headers["www-authenticate"].lower().startswith("bearer")
