"""Where the engine puts the cells of sequences (engines/patches/llama-kv-blocks.patch), read from its own debug map."""

import json
import re
from concurrent.futures import ThreadPoolExecutor

import pytest
import requests

from conftest import CHAT
from support.gateway import Gateway

BLOCK = 64
CONTEXT = 1024


def blocks_of_the_last_map(log: str) -> list[str]:
    """The map has one character for each cell: a sequence's number, M for several, a dot for none."""
    lines = re.findall(r"^([\dM.]{256}) \*$", log, re.MULTILINE)[-CONTEXT // 256 :]
    cells = "".join(lines)
    assert len(cells) == CONTEXT, "the engine prints its cells"
    return [cells[i : i + BLOCK] for i in range(0, CONTEXT, BLOCK)]


@pytest.mark.parametrize("together", [True, False], ids=["blocks", "switched-off"])
def test_the_cells_of_two_streams_are_not_interleaved(program, chat_model, logs, tmp_path, together):
    environment = {"LLAMA_KV_CACHE_DEBUG": "3", "LLAMA_KV_BLOCKS": "1" if together else "0"}
    model = {"name": CHAT, "kind": "text", "path": str(chat_model), "context": CONTEXT}
    configuration = tmp_path / "gateway.yaml"
    configuration.write_text(json.dumps({"models": [model], "log": {"level": "debug"}}))
    log = logs / f"cells-{together}.log"
    with Gateway(program, ["--config", str(configuration)], log, environment) as gateway, ThreadPoolExecutor() as threads:

        def stream(subject: str) -> int:
            body = {"model": CHAT, "messages": [{"role": "user", "content": f"Tell me about {subject}."}]}
            body |= {"max_tokens": 100, "ignore_eos": True}
            answer = requests.post(f"{gateway.url}/v1/chat/completions", json=body, timeout=120).json()
            return answer["usage"]["completion_tokens"]

        assert list(threads.map(stream, ["rivers", "the moon"])) == [100, 100]
    owners = [set(block) - {".", "M"} for block in blocks_of_the_last_map(log.read_text())]
    assert len(set.union(*owners)) == 2, "two sequences have cells"
    assert all(len(owner) <= 1 for owner in owners) == together
