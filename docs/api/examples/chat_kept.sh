#!/bin/sh
set -e
url="${LLM_GATEWAY_URL:-http://127.0.0.1:8080}/v1/chat/completions"
curl --fail-with-body -sS "$url" -H 'Content-Type: application/json' -d '{
  "model": "smollm2-135m-instruct",
  "messages": [{"role": "user", "content": "Say hello."}],
  "max_completion_tokens": 10,
  "store": true,
  "metadata": {"topic": "examples"}
}'
curl --fail-with-body -sS --globoff "$url?metadata[topic]=examples&limit=1"
