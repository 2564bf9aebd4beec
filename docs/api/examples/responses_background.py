import os
import time

from openai import OpenAI

url = os.environ.get("LLM_GATEWAY_URL", "http://127.0.0.1:8080")
client = OpenAI(base_url=f"{url}/v1", api_key="none")

response = client.responses.create(
    model="smollm2-135m-instruct", input="Tell a short story.", max_output_tokens=60, background=True
)
while response.status in ("queued", "in_progress"):
    time.sleep(0.2)
    response = client.responses.retrieve(response.id)
print(response.status)
print(response.output_text)
