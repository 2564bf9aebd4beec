import base64
import os
import pathlib
import tempfile

from openai import OpenAI

url = os.environ.get("LLM_GATEWAY_URL", "http://127.0.0.1:8080")
client = OpenAI(base_url=f"{url}/v1", api_key="none")
options = {"model": "random-weights-sd-nano", "size": "64x64", "extra_body": {"steps": 4, "seed": 1}}

folder = pathlib.Path(tempfile.mkdtemp())
drawn = client.images.generate(prompt="a lighthouse in a storm", **options)
(folder / "lighthouse.png").write_bytes(base64.b64decode(drawn.data[0].b64_json))

edited = client.images.edit(
    image=(folder / "lighthouse.png").open("rb"),
    prompt="the same lighthouse in winter",
    response_format="url",
    **options,
)
print(edited.data[0].url)

varied = client.images.create_variation(image=(folder / "lighthouse.png").open("rb"), n=2, **options)
print(len(varied.data), "variations")
