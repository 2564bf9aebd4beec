"""LoRA adapters: named by model or by field, beside each other and beside the model alone. Model and adapters are small
and made here, with random weights."""

import copy
import hashlib
import json
import random
import signal
from concurrent.futures import ThreadPoolExecutor

import openai
import pytest
import requests

from support import tiny_models
from support.gateway import Gateway, wait_until

SYSTEM = "You answer in short and plain sentences, and you never speak of the weather, whatever somebody asks you. " * 3
PROMPT = [{"role": "system", "content": SYSTEM}, {"role": "user", "content": "Where do rivers begin?"}]


@pytest.fixture(scope="module")
def files(chat_model, tmp_path_factory):
    folder = tmp_path_factory.mktemp("adapters")
    files = {"model": tiny_models.llama(folder / "model.gguf", chat_model)}
    for seed, name in enumerate(["sql", "poems"]):
        files[name] = tiny_models.adapter(folder / f"{name}.gguf", seed)
    files["cut"] = folder / "cut.gguf"
    files["cut"].write_bytes(files["sql"].read_bytes()[:-1000])
    return files


def settings_of(files, **more) -> dict:
    adapters = [
        {"name": "sql", "path": str(files["sql"]), "sha256": hashlib.sha256(files["sql"].read_bytes()).hexdigest()},
        {"name": "poems", "path": str(files["poems"]), "scale": 0.5},
        {"name": "cut", "path": str(files["cut"])},
        {"name": "missing", "path": str(files["cut"].with_name("missing.gguf"))},
        {"name": "tampered", "path": str(files["sql"]), "sha256": "0" * 64},
        {"name": "whole-model", "path": str(files["model"])},
    ]
    model = {"name": "tiny", "kind": "text", "path": str(files["model"]), "context": 1024, "slots": 6, "pooling": "mean"}
    return {"models": [model | {"adapters": adapters} | more]}


def start(program, settings: dict, folder, log) -> Gateway:
    configuration = folder / "gateway.yaml"
    configuration.write_text(json.dumps(settings))
    return Gateway(program, ["--config", str(configuration)], log)


@pytest.fixture(scope="module")
def gateway(files, program, logs, tmp_path_factory):
    with start(program, settings_of(files), tmp_path_factory.mktemp("gateway"), logs / "adapters.log") as running:
        yield running


@pytest.fixture(scope="module")
def client(gateway) -> openai.OpenAI:
    return openai.OpenAI(base_url=f"{gateway.url}/v1", api_key="unused", max_retries=0, timeout=600)


def post(gateway: Gateway, path: str = "/v1/chat/completions", **fields) -> requests.Response:
    body = {"model": "tiny", "messages": PROMPT, "max_tokens": 24, "temperature": 0} | fields
    return requests.post(gateway.url + path, json=body, timeout=300)


def ask(gateway: Gateway, **fields) -> tuple[str, int]:
    """The answer, and how many tokens of the prompt were not evaluated for it."""
    reply = post(gateway, **fields)
    assert reply.status_code == 200, reply.text
    usage = reply.json()["usage"]
    return reply.json()["choices"][0]["message"]["content"], usage["prompt_tokens_details"]["cached_tokens"]


def first_token(gateway: Gateway, **fields) -> dict[str, float]:
    """How likely the likeliest first tokens of an answer are, with nothing of its prompt in memory. Last bits depend on where
    in memory a prompt is and how many tokens are evaluated at once, and these models make much of a bit: so what is
    compared is this, and not a text."""
    reply = post(gateway, **({"cache_salt": str(random.random())} | fields), logprobs=True, top_logprobs=20).json()
    return {token["token"]: token["logprob"] for token in reply["choices"][0]["logprobs"]["content"][0]["top_logprobs"]}


def alike(one: dict[str, float], other: dict[str, float]) -> bool:
    likeliest = [max(each, key=each.get) for each in (one, other)]
    return all(token in one and token in other and abs(one[token] - other[token]) < 0.3 for token in likeliest)


def test_adapters_are_listed_as_models(client):
    models = {model.id: model.model_dump() for model in client.models.list()}
    assert list(models)[:3] == ["tiny", "tiny:sql", "tiny:poems"]
    assert models["tiny:sql"]["parent"] == models["tiny:sql"]["root"] == "tiny"
    assert models["tiny"]["text"]["adapters"][:2] == ["sql", "poems"]
    assert client.models.retrieve("poems").id == "tiny:poems"


def test_44_an_adapter_that_cannot_be_loaded_says_why_and_the_model_answers(gateway, client):
    reasons = {"cut": "incomplete", "missing": "cannot be read", "tampered": "SHA-256", "whole-model": "LoRA adapter"}
    for name, reason in reasons.items():
        shown = client.models.retrieve(f"tiny:{name}").model_dump()
        assert shown["state"] == "failed" and reason in shown["problem"], shown
        assert any(name in line and reason in line for line in gateway.log_text().splitlines()), name
        by_name = post(gateway, model=f"tiny:{name}")
        assert by_name.status_code == 404 and by_name.json()["error"]["param"] == "model"
        assert reason in by_name.json()["error"]["message"]
        by_field = post(gateway, lora=[{"id": name}])
        assert by_field.status_code == 404 and by_field.json()["error"]["param"] == "lora[0].id"
    assert ask(gateway)[0]


def test_an_adapter_changes_the_answer_and_scale_0_does_not(gateway):
    base, sql, poems = (first_token(gateway, model=model) for model in ("tiny", "tiny:sql", "poems"))
    both = first_token(gateway, lora=[{"id": "poems"}, {"id": "sql"}])
    different = [base, sql, poems, both]
    assert not any(alike(one, other) for one in different for other in different if one is not other)
    assert alike(base, first_token(gateway, lora=[{"id": 0, "scale": 0}, {"id": "poems", "scale": 0}]))
    assert alike(base, first_token(gateway, lora=[]))
    assert alike(sql, first_token(gateway, lora=[{"id": 0}]))
    assert alike(sql, first_token(gateway, lora=[{"id": "sql", "scale": 1}]))
    assert alike(poems, first_token(gateway, lora=[{"id": "poems", "scale": 0.5}]))
    assert alike(both, first_token(gateway, lora=[{"id": 0, "scale": 1}, {"id": 1, "scale": 0.5}]))


def test_what_was_evaluated_with_others_is_never_used(gateway):
    prompt = [{"role": "system", "content": "Of this conversation nothing is known yet. " * 10}, *PROMPT[1:]]
    used = [{}, {"model": "tiny:sql"}, {"model": "tiny:poems"}, {"lora": [{"id": 0, "scale": 0.25}]}]
    first = [ask(gateway, messages=prompt, cache_salt="own", **fields) for fields in used]
    again = [ask(gateway, messages=prompt, cache_salt="own", **fields) for fields in used]
    assert [cached for _, cached in first] == [0, 0, 0, 0]
    assert all(cached > 60 for _, cached in again), again


def test_answers_side_by_side_are_those_of_each_alone(gateway):
    questions = [{"role": "user", "content": text} for text in ("Who wrote this?", "How far is it?")]
    jobs = [{"messages": [PROMPT[0], question], "model": model, "max_tokens": 40}
            for question in questions for model in ("tiny", "tiny:sql", "tiny:poems")]
    alone = [first_token(gateway, **job) for job in jobs]
    with ThreadPoolExecutor(len(jobs)) as pool:
        together = list(pool.map(lambda job: first_token(gateway, cache_salt="together", **job), jobs))
    for number, heard in enumerate(together):
        assert alike(heard, alone[number]), jobs[number]
        others = [each for other, each in enumerate(alone) if jobs[other]["model"] != jobs[number]["model"]]
        assert not any(alike(heard, each) for each in others), jobs[number]


def test_a_stream_goes_on_beside_prompts_with_adapters(gateway, client):
    expected = ask(gateway, max_tokens=120, ignore_eos=True, cache_salt="a stream")[0]
    stream = client.chat.completions.create(model="tiny", messages=PROMPT, max_tokens=120, temperature=0, stream=True,
                                            extra_body={"ignore_eos": True, "cache_salt": "a stream again"})
    text, asked = "", []
    with ThreadPoolExecutor(3) as pool:
        for chunk in stream:
            if not text:
                asked = [pool.submit(ask, gateway, model=f"tiny:{name}", cache_salt="beside a stream")
                         for name in ("sql", "poems", "sql")]
            text += chunk.choices[0].delta.content or ""
        assert all(each.result()[0] for each in asked)
    assert text[:20] == expected[:20]
    assert len(text) > 100


@pytest.mark.parametrize("path", ["/v1/completions", "/v1/responses", "/v1/messages"])
def test_every_endpoint_takes_them(gateway, path):
    fields = {"/v1/completions": {"prompt": "Rivers begin", "messages": None},
              "/v1/responses": {"input": "Where do rivers begin?", "messages": None, "max_tokens": None, "store": False,
                                "max_output_tokens": 24},
              "/v1/messages": {"messages": PROMPT[1:]}}[path]

    def said(**more) -> tuple[str, str]:
        reply = post(gateway, path, **(fields | more))
        assert reply.status_code == 200, reply.text
        body = reply.json()
        written = body.get("choices") or body.get("output") or body.get("content")
        return body["model"], json.dumps(written).replace(body["id"], "").replace(body["id"][-32:], "")

    (name, by_name), (_, by_field), (_, base) = said(model="tiny:sql"), said(lora=[{"id": 0}]), said()
    assert name == "tiny:sql"
    assert base not in (by_name, by_field)


def test_embeddings_take_them_side_by_side(client):
    texts = ["Rivers begin in mountains.", "They end in the sea.", "Some of them are long."]

    def embed(model: str, **fields) -> list[list[float]]:
        return [item.embedding for item in client.embeddings.create(model=model, input=texts, extra_body=fields).data]

    base, sql = embed("tiny"), embed("tiny:sql")
    def difference(one: list[list[float]], other: list[list[float]]) -> float:
        return max(abs(a - b) for left, right in zip(one, other, strict=True) for a, b in zip(left, right, strict=True))

    assert difference(embed("tiny", lora=[{"id": "sql", "scale": 0}]), base) < 1e-5
    assert difference(embed("tiny", lora=[{"id": 0}]), sql) < 1e-5
    assert difference(base, sql) > 0.01
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(embed, ["tiny", "tiny:sql"] * 4))
    for number, vectors in enumerate(together):
        assert difference(vectors, sql if number % 2 else base) < 1e-5


def test_metrics_have_the_names_of_the_configuration_only(gateway):
    ask(gateway, model="poems")
    ask(gateway, lora=[{"id": 0, "scale": 0.125}])
    post(gateway, model="tiny:nobody")
    assert gateway.metric("gateway_requests_total", model="tiny:poems") > 0
    assert gateway.metric("gateway_requests_total", model="poems") == 0
    assert gateway.metric("gateway_requests_total", model="tiny:nobody") == 0


def mutated(value, chance: random.Random):
    junk = [None, True, -1, 6, 2**40, 0.5, 1e300, "", "sql ", "nobody", "\u0000", [], {}, [[]], {"id": 0}, "x" * 5000]
    value = copy.deepcopy(value)
    place, key = {"lora": value}, "lora"
    while chance.random() < 0.7 and place[key]:
        place = place[key]
        key = chance.choice(list(place)) if isinstance(place, dict) else chance.randrange(len(place))
        if not isinstance(place[key], (dict, list)):
            break
    if place is value or key != "lora":
        place[key] = chance.choice(junk)
        return value
    return chance.choice(junk)


def test_mutated_fields_are_refused_and_harm_nothing(gateway):
    seed = random.randrange(2**32)
    print("seed", seed)
    chance = random.Random(seed)
    worker = gateway.workers()["tiny"].pid
    refused = 0
    for _ in range(300):
        lora = mutated([{"id": 0, "scale": 0.5}, {"id": "poems", "scale": 1}], chance)
        reply = post(gateway, lora=lora, max_tokens=1)
        assert reply.status_code == 200 or 400 <= reply.status_code < 500, (lora, reply.text)
        if reply.status_code != 200:
            refused += 1
            assert reply.json()["error"]["param"].startswith("lora"), (lora, reply.text)
    assert refused >= 100
    assert gateway.workers()["tiny"].pid == worker


def test_33_a_worker_that_was_killed_has_its_adapters_again(gateway):
    before = first_token(gateway, model="tiny:sql")
    worker = gateway.workers()["tiny"]
    worker.send_signal(signal.SIGKILL)
    wait_until(lambda: gateway.workers().get("tiny") not in (None, worker), "a successor")
    gateway.wait_for("/health/ready")
    assert alike(first_token(gateway, model="tiny:sql"), before)


def test_saved_prompts_are_those_of_the_very_adapter(files, program, logs, tmp_path):
    own = dict(files, sql=tmp_path / "sql.gguf")
    own["sql"].write_bytes(files["sql"].read_bytes())
    log = logs / "adapters-saved.log"

    def cached(**fields) -> int:
        with start(program, settings_of(own, prefix_cache_folder=str(tmp_path / "saved")), tmp_path, log) as gateway:
            return ask(gateway, **fields)[1]

    assert cached(model="tiny:sql") == 0
    assert cached() == 0
    assert cached(model="tiny:sql") > 60
    assert cached() > 60
    own["sql"].write_bytes(files["poems"].read_bytes())
    assert cached(model="tiny:sql") == 0
