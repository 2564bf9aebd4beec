#!/bin/sh
curl --fail-with-body -sSN "${LLM_GATEWAY_URL:-http://127.0.0.1:8080}/v1/messages" \
  -H 'Content-Type: application/json' -d '{
  "model": "smollm2-135m-instruct",
  "max_tokens": 20,
  "stream": true,
  "messages": [{"role": "user", "content": "Count from one to five."}]
}'
