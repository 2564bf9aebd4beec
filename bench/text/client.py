"""A streaming chat client that costs little: raw sockets, timestamps while streaming, JSON only afterwards."""

import asyncio
import json
import time
from dataclasses import dataclass, field


@dataclass
class Answer:
    """One streamed answer. Times are seconds; `arrivals` are the moments at which text arrived, on one steady clock."""

    started: float
    arrivals: list[float] = field(default_factory=list)
    ended: float = 0.0
    text: str = ""
    prompt_tokens: int = 0
    cached_tokens: int = 0
    completion_tokens: int = 0
    finish_reason: str = ""

    @property
    def time_to_first_token(self) -> float:
        return self.arrivals[0] - self.started

    @property
    def time_per_output_token(self) -> float:
        return (self.arrivals[-1] - self.arrivals[0]) / max(1, self.completion_tokens - 1)

    @property
    def gaps(self) -> list[float]:
        return [b - a for a, b in zip(self.arrivals, self.arrivals[1:])]

    @property
    def evaluated_prompt_tokens(self) -> int:
        return self.prompt_tokens - self.cached_tokens


async def send(port: int, body: dict) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """Sends one streamed request to 127.0.0.1:port. Aborting the writer's transport is a client that leaves."""
    payload = json.dumps(body | {"stream": True, "stream_options": {"include_usage": True}}).encode()
    reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1 << 22)
    writer.write(
        b"POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        b"Connection: close\r\nContent-Length: %d\r\n\r\n" % len(payload) + payload
    )
    return reader, writer


async def chat(port: int, body: dict) -> Answer:
    """One streamed request to 127.0.0.1:port. Raises on any answer that is not a complete stream."""
    answer = Answer(started=time.perf_counter())
    reader, writer = await send(port, body)
    events: list[tuple[float, bytes]] = []
    try:
        while line := await reader.readline():
            if line.startswith(b"data: {"):
                events.append((time.perf_counter(), line))
            elif line.startswith(b"HTTP/1.1 ") and b" 200 " not in line:
                raise RuntimeError((line + await reader.read(4000)).decode(errors="replace"))
            elif line.startswith(b"data: [DONE]"):
                break
        else:
            last = events[-1][1].decode(errors="replace") if events else "no event"
            raise RuntimeError(f"the stream ended without [DONE], after: {last}")
    finally:
        writer.close()
    answer.ended = time.perf_counter()
    for moment, line in events:
        event = json.loads(line[6:])
        if "error" in event:
            raise RuntimeError(str(event["error"]))
        for choice in event.get("choices", []):
            text = choice["delta"].get("content") or choice["delta"].get("reasoning_content") or ""
            if text:
                answer.text += text
                answer.arrivals.append(moment)
            answer.finish_reason = choice.get("finish_reason") or answer.finish_reason
        if usage := event.get("usage"):
            answer.prompt_tokens = usage["prompt_tokens"]
            answer.completion_tokens = usage["completion_tokens"]
            answer.cached_tokens = (usage.get("prompt_tokens_details") or {}).get("cached_tokens", 0)
    if not answer.arrivals:
        raise RuntimeError("no text arrived")
    return answer
