"""Embeddings through the libraries that have them; all give the vectors that OpenAI's client gives."""

import litellm
import openai
import pytest
from langchain_openai import OpenAIEmbeddings
from llama_index.embeddings.openai_like import OpenAILikeEmbedding

from conftest import fetched
from support.gateway import Gateway

MODEL = "all-minilm-l6-v2"
TEXTS = ["The weather is fine today.", "It is a sunny day."]


@pytest.fixture(scope="module")
def url(program, cache, logs):
    with Gateway(program, ["--model", f"{MODEL}={fetched(MODEL, cache)}"], logs / "client-embeddings.log") as running:
        yield f"{running.url}/v1"


@pytest.fixture(scope="module")
def expected(url) -> list[list[float]]:
    with openai.OpenAI(base_url=url, api_key="unused", max_retries=0) as client:
        data = client.embeddings.create(model=MODEL, input=TEXTS).data
    assert [item.index for item in data] == [0, 1]
    return [item.embedding for item in data]


def check(vectors: list[list[float]], expected: list[list[float]]) -> None:
    for vector, right in zip(vectors, expected, strict=True):
        assert vector == pytest.approx(right, abs=1e-5)


def test_langchain(url, expected):
    client = OpenAIEmbeddings(model=MODEL, base_url=url, api_key="unused", max_retries=0, check_embedding_ctx_length=False)
    check(client.embed_documents(TEXTS), expected)


def test_llama_index(url, expected):
    client = OpenAILikeEmbedding(model_name=MODEL, api_base=url, api_key="unused", max_retries=0)
    check(client.get_text_embedding_batch(TEXTS), expected)


def test_litellm(url, expected):
    answer = litellm.embedding(model=f"openai/{MODEL}", input=TEXTS, api_base=url, api_key="unused")
    check([item["embedding"] for item in answer.data], expected)


def test_an_unknown_model(url):
    with openai.OpenAI(base_url=url, api_key="unused", max_retries=0) as client:
        with pytest.raises(openai.NotFoundError):
            client.embeddings.create(model="gpt-9", input=TEXTS)
