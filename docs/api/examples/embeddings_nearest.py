import os

from openai import OpenAI

url = os.environ.get("LLM_GATEWAY_URL", "http://127.0.0.1:8080")
client = OpenAI(base_url=f"{url}/v1", api_key="none")


def embed(texts: list[str]) -> list[list[float]]:
    return [item.embedding for item in client.embeddings.create(model="all-minilm-l6-v2", input=texts).data]


sentences = ["A cat sleeps on the sofa.", "The stock market fell.", "It will rain tomorrow."]
(question,) = embed(["What is the weather forecast?"])
scores = [sum(a * b for a, b in zip(question, vector)) for vector in embed(sentences)]
print(sentences[scores.index(max(scores))])
