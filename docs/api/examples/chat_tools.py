import json
import os

from openai import OpenAI

url = os.environ.get("LLM_GATEWAY_URL", "http://127.0.0.1:8080")
client = OpenAI(base_url=f"{url}/v1", api_key="none")
MODEL = "smollm2-135m-instruct"

weather = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "description": "The weather in a city.",
        "strict": True,
        "parameters": {
            "type": "object",
            "properties": {"city": {"type": "string", "maxLength": 30}},
            "required": ["city"],
            "additionalProperties": False,
        },
    },
}
messages = [{"role": "user", "content": "What is the weather in Hamburg?"}]
answer = client.chat.completions.create(
    model=MODEL, messages=messages, tools=[weather], tool_choice="required", parallel_tool_calls=False, max_completion_tokens=100
)
call = answer.choices[0].message.tool_calls[0]
print(call.function.name, json.loads(call.function.arguments))

messages += [
    answer.choices[0].message,
    {"role": "tool", "tool_call_id": call.id, "content": "21 degrees, sunny"},
]
answer = client.chat.completions.create(model=MODEL, messages=messages, max_completion_tokens=40)
print(answer.choices[0].message.content)
