"""One request for a picture: whole, or one that is left after some steps."""

import asyncio
import json
import re
import time

from painters import Painter, Picture


async def send(port: int, body: dict) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    payload = json.dumps(body).encode()
    reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1 << 26)
    writer.write(
        b"POST /v1/images/generations HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        b"Connection: close\r\nContent-Length: %d\r\n\r\n" % len(payload) + payload
    )
    return reader, writer


async def draw(painter: Painter, picture: Picture) -> float:
    """Seconds until the whole answer has arrived. Raises on any answer that is not one picture."""
    began = time.perf_counter()
    reader, writer = await send(painter.images.port, painter.body(picture))
    try:
        answer = await reader.read(-1)
    finally:
        writer.close()
    seconds = time.perf_counter() - began
    head, _, body = answer.partition(b"\r\n\r\n")
    if b" 200 " not in head.split(b"\r\n")[0] or b'"b64_json":"iVBOR' not in body.replace(b'": "', b'":"'):
        raise RuntimeError((head[:200] + body[:1000]).decode(errors="replace"))
    return seconds


async def leave_after(painter: Painter, picture: Picture, step: int) -> tuple[float, float]:
    """Sends a request and leaves once `step` steps are done. When it left, and the seconds of the last step."""
    painter.log.begin()
    body = painter.body(picture)
    if painter.is_gateway:
        body |= {"stream": True, "return_progress": True}
    reader, writer = await send(painter.images.port, body)
    moments = {}
    while step not in moments:
        done = await steps_done(painter, reader, picture)
        moments.setdefault(done, time.perf_counter())
    writer.transport.abort()
    return time.perf_counter(), moments[step] - moments[step - 1]


async def steps_done(painter: Painter, reader: asyncio.StreamReader, picture: Picture) -> int:
    """The next that is heard: of the gateway an event; sd-server tells its steps to nobody but its terminal."""
    if painter.is_gateway:
        while line := await asyncio.wait_for(reader.readline(), timeout=600):
            if line.startswith(b"data: {") and (event := json.loads(line[6:])).get("step"):
                return event["step"]
        raise RuntimeError("the stream ended before the step")
    await asyncio.sleep(0.005)
    found = re.findall(rf"(\d+)/{picture.steps} - ", painter.log.text())
    return int(found[-1]) if found else 0
