"""The peer that does least: FastAPI answers every chat with the same completion, unread and unchecked but for its JSON."""

from fastapi import FastAPI, Request

app = FastAPI()


@app.post("/v1/chat/completions")
async def complete(request: Request) -> dict:
    body = await request.json()
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1700000000,
        "model": body["model"],
        "choices": [
            {"index": 0, "message": {"role": "assistant", "content": "hello there"}, "finish_reason": "stop", "logprobs": None}
        ],
        "usage": {"prompt_tokens": 2, "completion_tokens": 2, "total_tokens": 4},
    }


@app.get("/health")
async def health() -> dict:
    return {}
