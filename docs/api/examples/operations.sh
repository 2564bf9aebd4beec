#!/bin/sh
set -e
url="${LLM_GATEWAY_URL:-http://127.0.0.1:8080}"
curl --fail-with-body -sS "$url/health/live"
curl --fail-with-body -sS "$url/health/ready"
curl --fail-with-body -sS "$url/version"
curl --fail-with-body -sS "$url/metrics" | grep '^gateway_requests'
