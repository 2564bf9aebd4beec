# shellcheck shell=bash disable=SC2034  # OPTIONS is read by tools/tasks/bench.sh
need_build release llm-gateway llm-gateway-text-worker llama-server
OPTIONS=(--gateway "$PWD/build/release/bin/llm-gateway" --llama-server "$PWD/build/release/peers/llama-server"
    --model-folder "$CACHE/models")
