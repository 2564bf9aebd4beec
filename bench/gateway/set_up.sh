# shellcheck shell=bash disable=SC2034  # OPTIONS is read by tools/tasks/bench.sh
need_build release llm-gateway llm-gateway-scripted-worker gateway-overhead
OPTIONS=(--build "$PWD/build/release")
