# shellcheck shell=bash disable=SC2034  # OPTIONS is read by tools/tasks/bench.sh
need_build release llm-gateway llm-gateway-text-worker llm-gateway-image-worker llama-server sd-server sd-server-readme
OPTIONS=(--gateway "$PWD/build/release/bin/llm-gateway" --sd-server "$PWD/build/release/peers/sd-server"
    --sd-server-readme "$PWD/build/release/peers/readme/build/bin/sd-server"
    --llama-server "$PWD/build/release/peers/llama-server" --model-folder "$CACHE/models")
