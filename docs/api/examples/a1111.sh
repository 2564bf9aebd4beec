#!/bin/sh
curl --fail-with-body -sS "${LLM_GATEWAY_URL:-http://127.0.0.1:8080}/sdapi/v1/txt2img" \
  -H 'Content-Type: application/json' -d @a1111.json
