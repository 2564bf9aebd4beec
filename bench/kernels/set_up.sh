# shellcheck shell=bash disable=SC2034  # OPTIONS is read by tools/tasks/bench.sh
need_build release kernel-cost compute-rate memory-bandwidth
OPTIONS=(--programs "$PWD/build/release/test-bin")
