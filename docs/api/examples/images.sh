#!/bin/sh
curl --fail-with-body -sS "${LLM_GATEWAY_URL:-http://127.0.0.1:8080}/v1/images/generations" \
  -H 'Content-Type: application/json' -d @images.json
