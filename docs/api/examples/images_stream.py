import base64
import os
import tempfile

from openai import OpenAI

url = os.environ.get("LLM_GATEWAY_URL", "http://127.0.0.1:8080")
client = OpenAI(base_url=f"{url}/v1", api_key="none")

stream = client.images.generate(
    model="random-weights-sd-nano",
    prompt="a lighthouse in a storm, oil painting",
    size="64x64",
    stream=True,
    partial_images=1,
    extra_body={"steps": 4, "negative_prompt": "people"},
)
for event in stream:
    print(event.type)
    if event.type == "image_generation.completed":
        with tempfile.NamedTemporaryFile(suffix=".png") as file:
            file.write(base64.b64decode(event.b64_json))
            print(event.size)
