"""A relay in front of a gateway that shows every answer: for clients that are programs of their own, such as Node's or curl.

    with Relay(gateway.port, judge.see) as url:
        subprocess.run(["curl", url + "/v1/models"])

When the block is left, every answer has been shown.
"""

from __future__ import annotations

import http.client
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

OF_ONE_CONNECTION = ("connection", "keep-alive", "transfer-encoding", "host", "expect")


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 300

    def body(self) -> bytes | None:
        if "chunked" not in self.headers.get("Transfer-Encoding", ""):
            return self.rfile.read(int(self.headers["Content-Length"])) if "Content-Length" in self.headers else None
        pieces = []
        while size := int(self.rfile.readline().partition(b";")[0], 16):
            pieces.append(self.rfile.read(size))
            self.rfile.readline()
        self.rfile.readline()
        return b"".join(pieces)

    def relay(self) -> None:
        headers = {name: value for name, value in self.headers.items() if name.lower() not in OF_ONE_CONNECTION}
        connection = http.client.HTTPConnection("127.0.0.1", self.server.gateway_port, timeout=300)
        pieces: list[bytes] = []
        try:
            connection.request(self.command, self.path, self.body(), headers)
            answer = connection.getresponse()
            self.send_response_only(answer.status, answer.reason)
            for name, value in answer.getheaders():
                if name.lower() not in OF_ONE_CONNECTION:
                    self.send_header(name, value)
            whole = "content-length" in answer.headers or self.command == "HEAD" or answer.status in (204, 304)
            if not whole:
                self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            try:
                while piece := answer.read1(65536):
                    pieces.append(piece)
                    self.wfile.write(piece if whole else b"%x\r\n%s\r\n" % (len(piece), piece))
                if not whole:
                    self.wfile.write(b"0\r\n\r\n")
            except ConnectionError:  # the client has what it wanted
                self.close_connection = True
            if "content-encoding" not in answer.headers:
                self.server.show(self.command, self.path, answer.status, dict(answer.getheaders()), b"".join(pieces))
        finally:
            connection.close()

    do_GET = do_POST = do_DELETE = do_HEAD = do_OPTIONS = relay

    def log_message(self, *_) -> None:
        pass


class Server(ThreadingHTTPServer):
    daemon_threads = False  # closing the server waits for all of them


class Relay:
    """`show` is called with method, path, status, headers and body."""

    def __init__(self, gateway_port: int, show: Callable[[str, str, int, dict[str, str], bytes], None]):
        self.server = Server(("127.0.0.1", 0), Handler)
        self.server.gateway_port = gateway_port
        self.server.show = show
        self.thread = threading.Thread(target=self.server.serve_forever)

    def __enter__(self) -> str:
        self.thread.start()
        return f"http://127.0.0.1:{self.server.server_port}"

    def __exit__(self, *_) -> None:
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()
