# fuzz [SECONDS]      coverage-guided fuzzing of the parsers (fuzz_* targets), each for this long (60)
# shellcheck shell=bash
seconds="${1:-60}"
need_packages build test
mapfile -t sources < <(git ls-files '*_fuzz.cpp')
[[ ${#sources[@]} -gt 0 ]] || die "there are no *_fuzz.cpp files yet"
need_build fuzz
for program in build/fuzz/fuzz/*; do
    name="$(basename "$program")"
    say "$name for $seconds s"
    corpus="$CACHE/fuzz/$name"
    mkdir -p "$corpus"
    "$program" "$corpus" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048
done
