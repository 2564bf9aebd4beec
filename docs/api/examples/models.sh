#!/bin/sh
set -e
url="${LLM_GATEWAY_URL:-http://127.0.0.1:8080}"
curl --fail-with-body -sS "$url/v1/models"
curl --fail-with-body -sS "$url/v1/models/smollm2-135m-instruct"
