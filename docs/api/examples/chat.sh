#!/bin/sh
curl --fail-with-body -sS "${LLM_GATEWAY_URL:-http://127.0.0.1:8080}/v1/chat/completions" \
  -H 'Content-Type: application/json' -d @chat.json
