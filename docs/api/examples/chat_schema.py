import json
import os

from openai import OpenAI

url = os.environ.get("LLM_GATEWAY_URL", "http://127.0.0.1:8080")
client = OpenAI(base_url=f"{url}/v1", api_key="none")

schema = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "maxLength": 20},
        "age": {"type": "integer", "minimum": 0, "maximum": 120},
    },
    "required": ["name", "age"],
    "additionalProperties": False,
}
answer = client.chat.completions.create(
    model="smollm2-135m-instruct",
    messages=[{"role": "user", "content": "Invent a person."}],
    response_format={"type": "json_schema", "json_schema": {"name": "person", "schema": schema, "strict": True}},
    max_completion_tokens=200,
    temperature=0,
)
person = json.loads(answer.choices[0].message.content)
print(person["name"], person["age"])
