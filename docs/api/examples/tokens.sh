#!/bin/sh
set -e
url="${LLM_GATEWAY_URL:-http://127.0.0.1:8080}"
curl --fail-with-body -sS "$url/tokenize" -H 'Content-Type: application/json' \
  -d '{"model": "smollm2-135m-instruct", "content": "Hello world", "with_pieces": true}'
curl --fail-with-body -sS "$url/detokenize" -H 'Content-Type: application/json' \
  -d '{"model": "smollm2-135m-instruct", "tokens": [19556, 905]}'
curl --fail-with-body -sS "$url/apply-template" -H 'Content-Type: application/json' -d @chat.json
curl --fail-with-body -sS "$url/v1/chat/completions/input_tokens" -H 'Content-Type: application/json' -d @chat.json
