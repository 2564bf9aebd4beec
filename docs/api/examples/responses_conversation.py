import os

from openai import OpenAI

url = os.environ.get("LLM_GATEWAY_URL", "http://127.0.0.1:8080")
client = OpenAI(base_url=f"{url}/v1", api_key="none")
MODEL = "smollm2-135m-instruct"

first = client.responses.create(model=MODEL, input="My name is Ada. Say hello to me.", max_output_tokens=30)
print(first.output_text)

second = client.responses.create(
    model=MODEL, input="What is my name?", previous_response_id=first.id, max_output_tokens=30
)
print(second.output_text)
print(second.usage.input_tokens_details.cached_tokens, "tokens were evaluated already")

for item in client.responses.input_items.list(second.id):
    print(item.role, item.content[0].text)
client.responses.delete(second.id)
