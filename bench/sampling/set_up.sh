# shellcheck shell=bash disable=SC2034  # OPTIONS is read by tools/tasks/bench.sh
need_build release sampling-cost
OPTIONS=(--program "$PWD/build/release/test-bin/sampling-cost")
for model in smollm2-135m-instruct qwen2.5-coder-0.5b-instruct; do
    need_model "$model"
    OPTIONS+=(--model "$MODEL")
done
