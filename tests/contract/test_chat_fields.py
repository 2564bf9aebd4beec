"""Every field of a chat request that is honoured, over the wire with a real model: OpenAI's, llama.cpp's and vLLM's.

Numbers in names are those of docs/behaviours.md.
"""

import json
import re

import openai
import pytest

from conftest import CHAT, TOOLS
from support.wire import Connection, stream, text_of

PROMPT = [{"role": "user", "content": "Name the capital of France in one short sentence."}]
YES_NO = [{"role": "user", "content": "Is Paris the capital of France? Answer yes or no."}]


def ask(client: openai.OpenAI, extra: dict | None = None, **options):
    request = {"model": CHAT, "messages": PROMPT, "max_tokens": 24, "temperature": 0} | options
    return client.chat.completions.create(**request, extra_body=extra or {})


def said(client: openai.OpenAI, extra: dict | None = None, **options) -> str:
    return ask(client, extra, **options).choices[0].message.content


def refused(client: openai.OpenAI, extra: dict | None = None, **options) -> dict:
    with pytest.raises(openai.BadRequestError) as failure:
        ask(client, extra, **options)
    return failure.value.body


# ---------------------------------------------------------------- how the next token is chosen


def test_top_k_1_is_greedy_at_any_temperature(client):
    assert said(client, {"top_k": 1}, temperature=1.9) == said(client)


@pytest.mark.parametrize("extra", [
    {"min_p": 1}, {"top_p": 1e-9}, {"top_k": 1, "typical_p": 0.9}, {"top_k": 1, "top_n_sigma": 1},
    {"top_k": 1, "dynatemp_range": 0.5, "dynatemp_exponent": 1.5},
    {"top_k": 1, "xtc_probability": 0, "xtc_threshold": 0.1},
], ids=lambda extra: next(name for name in extra if name != "top_k" or len(extra) == 1))
def test_filters_that_leave_one_token_are_greedy(client, extra):
    assert said(client, extra, temperature=1.5, seed=5) == said(client)


@pytest.mark.parametrize("extra", [
    {"mirostat": 1, "mirostat_tau": 3, "mirostat_eta": 0.1}, {"mirostat": 2}, {"xtc_probability": 1, "xtc_threshold": 0.01},
    {"typical_p": 0.5}, {"top_n_sigma": 2.0}, {"dynatemp_range": 0.5},
], ids=lambda extra: next(iter(extra)))
def test_other_ways_to_choose_repeat_with_the_same_seed(client, extra):
    said(client, extra, temperature=1, seed=11)  # from now on all find the same part of the prompt already evaluated
    first = said(client, extra, temperature=1, seed=11)
    assert said(client, extra, temperature=1, seed=11) == first


@pytest.mark.parametrize("name, value", [
    ("repeat_penalty", 1.8), ("repetition_penalty", 1.8), ("frequency_penalty", 2), ("presence_penalty", 2), ("dry_multiplier", 5)])
def test_penalties_break_repetitions(client, name, value):
    request = {"messages": [{"role": "user", "content": "Write the word tree forty times: tree tree tree tree tree"}],
               "max_tokens": 60}
    window = {"repeat_last_n": -1, "dry_penalty_last_n": -1, "dry_allowed_length": 1, "dry_base": 2,
              "dry_sequence_breakers": ["#"]}
    free = said(client, {"ignore_eos": True}, **request)
    penalised = said(client, {"ignore_eos": True, name: value} | window, **request)
    assert penalised != free


def test_a_logit_bias_of_minus_100_forbids_tokens(client):
    """All but two tokens of the first five hundred are forbidden, and those two are made likely."""
    biases = {str(number): -100 for number in range(298)} | {"310": 100, "311": 100}
    pieces = {said(client, max_tokens=1, logit_bias=biases | {forbidden: -100}) for forbidden in ("310", "311")}
    assert len(pieces) == 2


# ---------------------------------------------------------------- where an answer ends


def test_stop_takes_four_texts_and_not_five(client):
    free = said(client)
    stops = ["#1#", "#2#", "#3#", free[-4:]]
    assert said(client, stop=stops) == free[: free.index(free[-4:])]
    assert refused(client, stop=[*stops, "#5#"])["param"] == "stop"


def test_stop_token_ids_end_an_answer(client):
    answer = ask(client, {"stop_token_ids": [310]}, logit_bias={"310": 100})
    assert answer.choices[0].finish_reason == "stop"
    assert answer.choices[0].message.content == ""
    assert answer.usage.completion_tokens == 1
    assert refused(client, {"stop_token_ids": [3, 10**8]})["param"] == "stop_token_ids[1]"


def test_min_tokens_and_ignore_eos_keep_an_answer_going(client):
    assert ask(client, {"min_tokens": 40}, max_tokens=60).usage.completion_tokens >= 40
    endless = ask(client, {"ignore_eos": True}, max_tokens=80)
    assert endless.usage.completion_tokens == 80
    assert endless.choices[0].finish_reason == "length"


@pytest.mark.parametrize("name", ["max_tokens", "max_completion_tokens", "n_predict"])
def test_the_names_of_the_limit(client, name):
    answer = ask(client, {name: 3}, max_tokens=openai.NOT_GIVEN)
    assert answer.usage.completion_tokens == 3


def test_minus_one_is_no_limit(client):
    assert ask(client, {"max_tokens": -1}, max_tokens=openai.NOT_GIVEN, stop=["."]).choices[0].finish_reason == "stop"


def test_special_tokens_are_text_when_asked(client):
    begin_of_message = {"1": 100}  # <|im_start|> of this model
    assert said(client, max_tokens=2, logit_bias=begin_of_message) == ""
    assert said(client, {"skip_special_tokens": False}, max_tokens=2, logit_bias=begin_of_message) == "<|im_start|>" * 2


# ---------------------------------------------------------------- the form


PERSON = {"type": "object", "properties": {"name": {"type": "string", "maxLength": 12}}, "required": ["name"],
          "additionalProperties": False}


@pytest.mark.parametrize("extra", [
    {"response_format": {"type": "json_schema", "json_schema": {"name": "p", "schema": PERSON, "strict": True}}},
    {"response_format": {"type": "json_object", "schema": PERSON}},
    {"json_schema": PERSON}, {"guided_json": PERSON}, {"guided_json": json.dumps(PERSON)},
    {"structured_outputs": {"json": PERSON}},
], ids=["response_format", "json_object", "json_schema", "guided_json", "guided_json_text", "structured_outputs"])
def test_a_schema_under_all_its_names(client, extra):
    answer = json.loads(said(client, extra, max_tokens=60))
    assert list(answer) == ["name"] and len(answer["name"]) <= 12


@pytest.mark.parametrize("extra", [
    {"guided_choice": ["yes", "no"]}, {"structured_outputs": {"choice": ["yes", "no"]}},
    {"grammar": 'root ::= "yes" | "no"'}, {"guided_grammar": 'root ::= "yes" | "no"'},
    {"structured_outputs": {"grammar": 'root ::= "yes" | "no"'}}, {"guided_regex": "(yes|no)"},
    {"structured_outputs": {"regex": "yes|no"}},
], ids=["guided_choice", "structured_choice", "grammar", "guided_grammar", "structured_grammar", "guided_regex",
        "structured_regex"])
def test_one_of_two_words(client, extra):
    assert said(client, extra, messages=YES_NO) in ("yes", "no")


def test_12_the_field_that_asked_for_the_form_is_blamed(client):
    bad = {"type": "object", "properties": {"a": {"type": "integer", "not": {"const": 3}}}}
    assert refused(client, {"guided_json": bad})["param"] == "guided_json.properties.a.not"
    schema = {"type": "json_schema", "json_schema": {"name": "a", "schema": bad}}
    assert refused(client, response_format=schema)["param"] == "response_format.json_schema.schema.properties.a.not"
    assert refused(client, {"grammar": "root ::= ("})["param"] == "grammar"
    assert refused(client, {"guided_regex": "(a)\\1"})["param"] == "guided_regex"
    assert refused(client, {"guided_choice": ["a"], "grammar": 'root ::= "b"'})["param"] in ("grammar", "guided_choice")


# ---------------------------------------------------------------- the conversation


def test_a_final_message_is_continued(client):
    messages = [*PROMPT, {"role": "assistant", "content": "The capital of France is"}]
    text = said(client, {"continue_final_message": True, "add_generation_prompt": False}, messages=messages)
    assert text.startswith(" Paris")
    assert refused(client, {"continue_final_message": True})["param"] == "continue_final_message"


def test_a_continued_answer_keeps_its_form(client):
    messages = [{"role": "user", "content": "A person as JSON."}, {"role": "assistant", "content": '{"name": "A'}]
    extra = {"continue_final_message": True, "add_generation_prompt": False, "json_schema": PERSON}
    text = said(client, extra, messages=messages, max_tokens=60)
    assert list(json.loads('{"name": "A' + text)) == ["name"]


def test_a_prediction_changes_nothing_but_its_counts(client):
    free = said(client)
    answer = ask(client, prediction={"type": "content", "content": free})
    assert answer.choices[0].message.content == free
    assert answer.usage.completion_tokens_details.accepted_prediction_tokens >= 0


def test_variables_for_the_template(client):
    assert said(client, {"chat_template_kwargs": {"enable_thinking": False}}, model=TOOLS)
    assert said(client, reasoning_effort="none", model=TOOLS)


# ---------------------------------------------------------------- what was evaluated before


def test_cache_prompt_false_uses_nothing_of_before(client):
    messages = [{"role": "user", "content": "Tell me of rivers. " * 30}]
    ask(client, messages=messages, max_tokens=2)
    again = ask(client, messages=messages, max_tokens=2)
    assert again.usage.prompt_tokens_details.cached_tokens > 50
    fresh = ask(client, {"cache_prompt": False}, messages=messages, max_tokens=2)
    assert fresh.usage.prompt_tokens_details.cached_tokens == 0
    salted = [ask(client, {"cache_salt": salt}, messages=messages, max_tokens=2).usage.prompt_tokens_details.cached_tokens
              for salt in ("one", "two", "one")]
    assert salted[:2] == [0, 0] and salted[2] > 50


def test_prompt_progress_as_llama_server_sends_it(gateway):
    body = {"model": CHAT, "messages": [{"role": "user", "content": "A new long text. " * 200}], "max_tokens": 2,
            "return_progress": True}
    chunks, _ = stream(gateway.port, body)
    progress = [chunk["prompt_progress"] for chunk in chunks if chunk.get("prompt_progress")]
    assert progress
    assert all(set(step) >= {"total", "cache", "processed", "time_ms"} for step in progress)
    done = [step["processed"] for step in progress]
    assert done == sorted(done) and done[-1] <= progress[0]["total"]
    assert refused_over_the_wire(gateway, body)["param"] == "return_progress"


def refused_over_the_wire(gateway, body: dict) -> dict:
    with Connection(gateway.port) as connection:
        answer = connection.ask("POST", "/v1/chat/completions", body)
        assert connection.status == 400, answer
        return json.loads(answer)["error"]


# ---------------------------------------------------------------- what is only echoed


@pytest.mark.parametrize("asked, told", [("auto", "default"), ("default", "default"), ("flex", "flex"),
                                         ("priority", "priority"), ("scale", "default")])
def test_the_service_tier_is_told(client, asked, told):
    assert ask(client, service_tier=asked, max_tokens=1).service_tier == told


def test_metadata_comes_back(client):
    answer = ask(client, metadata={"purpose": "test"}, max_tokens=1)
    assert answer.model_dump()["metadata"] == {"purpose": "test"}


def test_fields_without_effect_are_accepted_and_named(gateway):
    body = {"model": CHAT, "messages": PROMPT, "max_tokens": 1, "user": "u", "safety_identifier": "s",
            "prompt_cache_key": "k", "prompt_cache_retention": "24h", "verbosity": "low", "id_slot": 0}
    with Connection(gateway.port) as connection:
        connection.ask("POST", "/v1/chat/completions", body)
        assert connection.status == 200
        named = set(connection.headers["x-ignored-fields"].split(", "))
    assert named == set(body) - {"model", "messages", "max_tokens"}


@pytest.mark.parametrize("field, value", [
    ("audio", {"voice": "alloy", "format": "wav"}), ("web_search_options", {}), ("modalities", ["text", "audio"]),
    ("functions", [{"name": "f"}]), ("function_call", "auto"), ("lora", {"id": 0}),
    ("samplers", ["top_k"]), ("bad_words", ["a"]), ("echo", True), ("best_of", 2),
    ("reasoning_budget_tokens", 5), ("prompt_logprobs", 1), ("priority", 3), ("n", 129), ("verbosity", "loud"),
])
def test_what_cannot_be_done_is_refused_by_name(gateway, field, value):
    error = refused_over_the_wire(gateway, {"model": CHAT, "messages": PROMPT, "max_tokens": 1, field: value})
    assert error["param"] == field
    assert error["message"].startswith(field)


def test_a_custom_tool_is_refused_by_name(gateway):
    tool = {"type": "custom", "custom": {"name": "shell"}}
    error = refused_over_the_wire(gateway, {"model": CHAT, "messages": PROMPT, "tools": [tool]})
    assert error["param"].startswith("tools[0].") and "custom" in error["message"]


# ---------------------------------------------------------------- several at once


def test_08_several_answers_with_everything_else(client, gateway):
    request = {"n": 3, "logprobs": True, "top_logprobs": 2, "stop": ["zzz"], "seed": 4, "temperature": 1.2, "max_tokens": 12,
               "presence_penalty": 0.5, "logit_bias": {"5": -1}}
    whole = ask(client, **request)
    assert [choice.index for choice in whole.choices] == [0, 1, 2]
    for choice in whole.choices:
        joined = b"".join(bytes(entry.bytes) for entry in choice.logprobs.content).decode(errors="replace")
        assert joined.startswith(choice.message.content[:5])
        assert all(len(entry.top_logprobs) == 2 for entry in choice.logprobs.content)
    chunks, _ = stream(gateway.port, {"model": CHAT, "messages": PROMPT, **request})
    for index in range(3):
        entries = [entry for chunk in chunks for choice in chunk["choices"] if choice["index"] == index and choice["logprobs"]
                   for entry in choice["logprobs"]["content"]]
        assert b"".join(bytes(entry["bytes"]) for entry in entries).decode(errors="replace").startswith(text_of(chunks, index)[:5])


def test_obfuscation_pads_every_delta(gateway):
    chunks, _ = stream(gateway.port, {"model": CHAT, "messages": PROMPT, "max_tokens": 8,
                                      "stream_options": {"include_obfuscation": True}})
    for chunk in chunks:
        text = chunk["choices"][0]["delta"].get("content", "")
        assert (len(text.encode()) + len(chunk["obfuscation"])) % 32 == 0


def test_answers_to_one_of_two_words_stream_the_same(client, gateway):
    extra = {"guided_choice": ["yes", "no"]}
    chunks, _ = stream(gateway.port, {"model": CHAT, "messages": YES_NO, "temperature": 0} | extra)
    assert re.fullmatch("yes|no", text_of(chunks))
    assert text_of(chunks) == said(client, extra, messages=YES_NO)
