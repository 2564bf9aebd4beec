#!/usr/bin/env python3
"""Tool calls of small models: how many of forty are valid when a call is forced, and when the model may choose.

    ./dev bench tools [--models NAME ...]

Forced: `tool_choice: "required"`. A call is valid when its arguments are JSON that fits the tool's schema, and right
when it is of the expected function and its arguments have what the question says. Temperature 0. llama-server of the
same sources gets the same requests. Ends with 1 when a forced call of the gateway is not valid.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import urllib.request
from dataclasses import dataclass
from pathlib import Path

from calls import CALLS, TOOLS, Call

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench/text"))

from servers import Settings, start_gateway, start_llama_server  # noqa: E402

SETTINGS = Settings(context=4096, slots=1)


@dataclass
class Score:
    called: int = 0
    valid: int = 0
    right: int = 0

    def __str__(self) -> str:
        return f"{self.called:>3} called {self.valid:>3} valid {self.right:>3} right"


def fits(value, schema: dict) -> bool:
    """The part of JSON Schema that the tools use."""
    types = schema.get("type", [])
    kinds = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None)}
    def is_of(name: str) -> bool:
        if name in ("integer", "number"):
            return isinstance(value, int if name == "integer" else (int, float)) and not isinstance(value, bool)
        return isinstance(value, kinds[name])
    if types and not any(is_of(name) for name in ([types] if isinstance(types, str) else types)):
        return False
    if "enum" in schema and value not in schema["enum"]:
        return False
    if isinstance(value, (int, float)) and not schema.get("minimum", value) <= value <= schema.get("maximum", value):
        return False
    if isinstance(value, list):
        return all(fits(item, schema.get("items", {})) for item in value)
    if isinstance(value, dict):
        properties = schema.get("properties", {})
        return set(schema.get("required", [])) <= value.keys() <= properties.keys() and all(
            fits(item, properties[name]) for name, item in value.items())
    return True


def judge(score: Score, call: Call, message: dict) -> None:
    calls = message.get("tool_calls") or []
    if not calls:
        return
    score.called += 1
    function = calls[0]["function"]
    schema = next((tool["function"]["parameters"] for tool in TOOLS if tool["function"]["name"] == function["name"]), None)
    try:
        arguments = json.loads(function["arguments"])
    except ValueError:
        return
    if schema is None or not fits(arguments, schema):
        return
    score.valid += 1
    said = {name: json.dumps(value, ensure_ascii=False).lower() for name, value in arguments.items()}
    score.right += function["name"] == call.function and all(
        expected in said.get(name, "") for name, expected in call.expected.items())


def ask(port: int, call: Call, choice: str) -> dict:
    body = {"model": "bench", "temperature": 0, "max_tokens": 300, "tools": TOOLS, "tool_choice": choice,
            "parallel_tool_calls": False,
            "messages": [{"role": "system", "content": "You are a helpful assistant with tools."},
                         {"role": "user", "content": call.question}]}
    request = urllib.request.Request(f"http://127.0.0.1:{port}/v1/chat/completions", json.dumps(body).encode(),
                                     {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=600) as reply:
        return json.load(reply)["choices"][0]["message"]


def measure(port: int, choice: str) -> Score:
    score = Score()
    for call in CALLS:
        judge(score, call, ask(port, call, choice))
    return score


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gateway", type=Path, required=True)
    parser.add_argument("--llama-server", type=Path, required=True)
    parser.add_argument("--model-folder", type=Path, required=True)
    parser.add_argument("--models", nargs="+", default=["qwen2.5-coder-0.5b-instruct", "qwen2.5-coder-1.5b-instruct"])
    options = parser.parse_args()

    all_valid = True
    with tempfile.TemporaryDirectory() as folder:
        for model in options.models:
            fetch = [sys.executable, ROOT / "models/fetch.py", model, "--folder", options.model_folder]
            file = Path(subprocess.run(fetch, check=True, stdout=subprocess.PIPE, text=True).stdout.strip())
            print(f"\n{model}, {len(CALLS)} calls")
            for name in ("llm-gateway", "llama-server"):
                log = Path(folder) / f"{name}-{model}.log"
                server = (start_gateway(options.gateway, file, SETTINGS, log) if name == "llm-gateway" else
                          start_llama_server(options.llama_server, file, SETTINGS, SETTINGS.context, True, log))
                try:
                    for choice in ("required", "auto"):
                        score = measure(server.port, choice)
                        print(f"  {name:<13} {choice:<9} {score}", flush=True)
                        if name == "llm-gateway" and choice == "required":
                            all_valid = all_valid and score.valid == len(CALLS)
                finally:
                    server.close()
    return 0 if all_valid else 1


if __name__ == "__main__":
    sys.exit(main())
