import os

from openai import OpenAI

url = os.environ.get("LLM_GATEWAY_URL", "http://127.0.0.1:8080")
client = OpenAI(base_url=f"{url}/v1", api_key="none")

for event in client.completions.create(
    model="smollm2-135m-instruct", prompt="Once upon a time", max_tokens=20, stream=True, seed=1
):
    print(event.choices[0].text, end="", flush=True)
print()
