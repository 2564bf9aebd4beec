#!/bin/sh
curl --fail-with-body -sS "${LLM_GATEWAY_URL:-http://127.0.0.1:8080}/v1/messages" \
  -H 'Content-Type: application/json' -H 'x-api-key: none' -H 'anthropic-version: 2023-06-01' -d @messages.json
