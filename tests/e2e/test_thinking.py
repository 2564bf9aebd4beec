"""Models that think, by the templates of three kinds of them: thinking is told apart, everywhere and streamed, with tools
and without; and it can be switched off and bounded. The models are made here, and always say the same."""

import json
from pathlib import Path

import openai
import pytest
import requests

from support import tiny_models
from support.gateway import Gateway

PROMPT_TOKENS = ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
THOUGHT, ANSWER = "The user wants the capital. It is Paris.", "It is Paris."
CALL = '{"name": "get_weather", "arguments": {"city": "Paris"}}'
OPENS, OVER = "<|channel|>analysis<|message|>", "<|end|><|start|>assistant"
# Kind -> its template, and how it says a thought, an answer and a call. No piece of what is said is in a prompt.
KINDS = {
    "qwen3": ("Qwen-Qwen3-0.6B.jinja", ["<think>\n", "The user wants", " the capital. It is", " Paris.\n", "</think>\n\n"],
              ["It is", " Paris."], ["<tool_call>\n", CALL, "\n</tool_call>"]),
    "deepseek-r1": ("llama-cpp-deepseek-r1.jinja", ["The user wants", " the capital. It is", " Paris.\n", "</think>\n\n"],
                    ["It is", " Paris."], None),
    "gpt-oss": ("openai-gpt-oss-120b.jinja", [OPENS, "The user wants", " the capital.", " It is Paris."],
                [f"{OVER}<|channel|>final<|message|>", "It is", " Paris."],
                [f"{OVER}<|channel|>commentary to=functions.get_weather", " <|constrain|>json<|message|>", '{"city": "Paris"}']),
}
MESSAGES = [{"role": "user", "content": "What is the capital of France?"}]
TOOL = {"name": "get_weather", "description": "Tells the weather.",
        "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}}


@pytest.fixture(scope="module")
def templates(cache) -> Path:
    """Those that the engine's source brings."""
    folders = cache.glob("engines/llama-*/source/vendor/llama.cpp/models/templates")
    return max(folders, key=lambda folder: folder.stat().st_mtime)


@pytest.fixture(scope="module")
def gateway(program, chat_model, templates, logs, tmp_path_factory):
    """For each kind a model that answers, and one that calls a tool."""
    folder = tmp_path_factory.mktemp("thinking")
    models = []
    for kind, (template, thought, answer, call) in KINDS.items():
        for name, ending in ((kind, answer), (f"{kind}-calls", call)):
            if ending is not None:
                file = tiny_models.speaker(folder / f"{name}.gguf", chat_model, (templates / template).read_text(), thought + ending)
                models.append({"name": name, "kind": "text", "path": str(file), "context": 2048, "slots": 2})
    configuration = folder / "gateway.yaml"
    configuration.write_text(json.dumps({"models": models}))
    with Gateway(program, ["--config", str(configuration)], logs / "thinking.log") as running:
        yield running


@pytest.fixture(scope="module")
def client(gateway) -> openai.OpenAI:
    return openai.OpenAI(base_url=f"{gateway.url}/v1", api_key="unused", max_retries=0, timeout=300)


def converse(gateway: Gateway, **fields) -> dict:
    """One answer of the Messages API; with `stream` put together from its events."""
    body = {"messages": MESSAGES, "max_tokens": 200} | fields
    reply = requests.post(f"{gateway.url}/v1/messages", json=body, timeout=300)
    assert reply.status_code == 200, reply.text
    if not fields.get("stream"):
        return reply.json()
    content = []
    for line in reply.text.splitlines():
        event = json.loads(line.removeprefix("data: ")) if line.startswith("data: ") else {}
        if event.get("type") == "content_block_start":
            content.append(event["content_block"])
        elif event.get("type") == "content_block_delta":
            kind = event["delta"]["type"].removesuffix("_delta")
            content[-1][kind] = content[-1].get(kind, "") + event["delta"][kind]
    return {"content": content}


every_kind = pytest.mark.parametrize("kind", KINDS)
every_caller = pytest.mark.parametrize("kind", [kind for kind, (*_, call) in KINDS.items() if call])
with_tools = pytest.mark.parametrize("tools", [False, True], ids=["plain", "tools"])


def chat_tools(tools: bool) -> dict:
    return {"tools": [{"type": "function", "function": TOOL}]} if tools else {}


@every_kind
@with_tools
def test_chat_tells_thinking_apart(client, kind, tools):
    answer = client.chat.completions.create(model=kind, messages=MESSAGES, **chat_tools(tools))
    message = answer.choices[0].message
    assert (message.reasoning_content.strip(), message.content.strip()) == (THOUGHT, ANSWER)
    details = answer.usage.completion_tokens_details
    assert 0 < details.reasoning_tokens < answer.usage.completion_tokens

    deltas = [chunk.choices[0].delta.model_dump() for chunk in client.chat.completions.create(
        model=kind, messages=MESSAGES, stream=True, **chat_tools(tools))]
    assert "".join(delta.get("reasoning_content") or "" for delta in deltas).strip() == THOUGHT
    assert "".join(delta["content"] or "" for delta in deltas).strip() == ANSWER
    kinds = ["thought" if delta.get("reasoning_content") else "content" for delta in deltas
             if delta.get("reasoning_content") or delta["content"]]
    assert kinds == sorted(kinds, reverse=True) and kinds.count("thought") > 1


@every_caller
def test_chat_tells_calls_from_thinking(client, kind):
    asked = {"model": f"{kind}-calls", "messages": MESSAGES, **chat_tools(True)}
    choice = client.chat.completions.create(**asked).choices[0]
    call = choice.message.tool_calls[0].function
    assert choice.finish_reason == "tool_calls"
    assert (choice.message.reasoning_content.strip(), call.name) == (THOUGHT, "get_weather")
    assert json.loads(call.arguments) == {"city": "Paris"}

    deltas = [chunk.choices[0].delta for chunk in client.chat.completions.create(stream=True, **asked)]
    assert "".join(getattr(delta, "reasoning_content", None) or "" for delta in deltas).strip() == THOUGHT
    calls = [call.function for delta in deltas for call in delta.tool_calls or []]
    assert calls[0].name == "get_weather"
    assert json.loads("".join(call.arguments or "" for call in calls)) == {"city": "Paris"}


@every_kind
def test_thinking_can_be_left_in_the_text_or_out(client, kind):
    def message(**fields):
        return client.chat.completions.create(model=kind, messages=MESSAGES, extra_body=fields).choices[0].message

    plain = message(reasoning_format="none")
    assert "reasoning_content" not in plain.model_dump() and THOUGHT in plain.content and plain.content.endswith(ANSWER)
    without = message(include_reasoning=False)
    assert "reasoning_content" not in without.model_dump() and without.content.strip() == ANSWER


@every_kind
@with_tools
def test_responses_have_an_item_for_thinking(client, kind, tools):
    asked = {"model": kind, "input": MESSAGES[0]["content"], "store": False}
    if tools:
        asked["tools"] = [{"type": "function", **TOOL, "strict": None}]
    response = client.responses.create(**asked)
    assert [item.type for item in response.output] == ["reasoning", "message"]
    assert "".join(part.text for part in response.output[0].content).strip() == THOUGHT
    assert response.output_text.strip() == ANSWER
    assert response.usage.output_tokens_details.reasoning_tokens > 0

    events = list(client.responses.create(stream=True, **asked))
    thought = "".join(event.delta for event in events if event.type == "response.reasoning_text.delta")
    assert thought.strip() == THOUGHT
    assert "".join(event.delta for event in events if event.type == "response.output_text.delta").strip() == ANSWER
    assert [event.item.type for event in events if event.type == "response.output_item.done"] == ["reasoning", "message"]


@every_caller
def test_responses_have_items_for_thinking_and_calls(client, kind):
    response = client.responses.create(model=f"{kind}-calls", input=MESSAGES[0]["content"], store=False,
                                       tools=[{"type": "function", **TOOL, "strict": None}])
    assert [item.type for item in response.output] == ["reasoning", "function_call"]
    assert json.loads(response.output[1].arguments) == {"city": "Paris"}


@every_kind
@with_tools
def test_messages_have_a_block_for_thinking(gateway, kind, tools):
    asked = {"model": kind}
    if tools:
        asked["tools"] = [{"name": TOOL["name"], "description": TOOL["description"], "input_schema": TOOL["parameters"]}]
    for streamed in (False, True):
        content = converse(gateway, stream=streamed, **asked)["content"]
        assert [block["type"] for block in content] == ["thinking", "text"]
        assert (content[0]["thinking"].strip(), content[1]["text"].strip()) == (THOUGHT, ANSWER)


@every_caller
def test_messages_have_blocks_for_thinking_and_calls(gateway, kind):
    tools = [{"name": TOOL["name"], "description": TOOL["description"], "input_schema": TOOL["parameters"]}]
    answer = converse(gateway, model=f"{kind}-calls", tools=tools)
    assert [block["type"] for block in answer["content"]] == ["thinking", "tool_use"]
    assert answer["content"][1]["input"] == {"city": "Paris"} and answer["stop_reason"] == "tool_use"


def prompt(gateway: Gateway, kind: str, **fields) -> str:
    body = {"model": kind, "messages": MESSAGES} | fields
    reply = requests.post(f"{gateway.url}/apply-template", json=body, timeout=60)
    assert reply.status_code == 200, reply.text
    return reply.json()["prompt"]


def test_thinking_is_switched_off_by_any_of_its_names(gateway, client):
    off = prompt(gateway, "qwen3", chat_template_kwargs={"enable_thinking": False})
    assert off.endswith("<think>\n\n</think>\n\n") and not prompt(gateway, "qwen3").endswith("</think>\n\n")
    assert prompt(gateway, "qwen3", reasoning_effort="none") == off
    assert prompt(gateway, "qwen3", reasoning_effort="high") == prompt(gateway, "qwen3")
    # What it says all the same is text: it was not asked to think.
    message = client.chat.completions.create(model="qwen3", messages=MESSAGES, reasoning_effort="none").choices[0].message
    assert message.content.endswith(ANSWER)
    longer, usual = (converse(gateway, model="qwen3", **fields)["usage"] for fields in ({"thinking": {"type": "disabled"}}, {}))
    assert sum(longer[part] for part in PROMPT_TOKENS) > sum(usual[part] for part in PROMPT_TOKENS)


def test_the_effort_reaches_templates_that_know_it(gateway):
    for effort in ("low", "medium", "high"):
        assert f"Reasoning: {effort}" in prompt(gateway, "gpt-oss", reasoning_effort=effort)
    assert "Reasoning: medium" in prompt(gateway, "gpt-oss")
    assert "Reasoning: high" in prompt(gateway, "gpt-oss", chat_template_kwargs={"reasoning_effort": "high"})


@every_kind
def test_thoughts_may_be_sent_back(gateway, client, kind):
    """As clients do when a conversation goes on, each in its form."""
    before = client.chat.completions.create(model=kind, messages=MESSAGES).choices[0].message.model_dump(exclude_none=True)
    more = {"role": "user", "content": "And of Spain?"}
    assert client.chat.completions.create(model=kind, messages=[*MESSAGES, before, more]).choices[0].message.content.strip() == ANSWER

    first = client.responses.create(model=kind, input=MESSAGES[0]["content"])
    second = client.responses.create(model=kind, input=[MESSAGES[0], *(item.model_dump() for item in first.output), more], store=False)
    assert second.output_text.strip() == ANSWER
    assert client.responses.create(model=kind, input="And of Spain?", previous_response_id=first.id).output_text.strip() == ANSWER

    content = converse(gateway, model=kind)["content"]
    history = [*MESSAGES, {"role": "assistant", "content": content}, more]
    assert converse(gateway, model=kind, messages=history)["content"][-1]["text"].strip() == ANSWER


@every_kind
def test_an_answer_that_ends_while_it_thinks_has_no_content(client, kind):
    answer = client.chat.completions.create(model=kind, messages=MESSAGES, max_tokens=3).choices[0]
    assert answer.finish_reason == "length"
    assert (answer.message.content or "") == "" and answer.message.reasoning_content.strip()
    assert THOUGHT.startswith(answer.message.reasoning_content.strip())


@every_kind
def test_the_model_list_says_that_they_think(client, kind):
    assert client.models.retrieve(kind).model_dump()["text"]["reasoning"]
