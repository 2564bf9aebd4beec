# shellcheck shell=bash disable=SC2034  # OPTIONS is read by tools/tasks/bench.sh
need_build release llm-gateway llm-gateway-text-worker llama-server memory-bandwidth
OPTIONS=(--gateway "$PWD/build/release/bin/llm-gateway" --llama-server "$PWD/build/release/peers/llama-server"
    --memory-bandwidth "$PWD/build/release/test-bin/memory-bandwidth" --model-folder "$CACHE/models")
