# fuzz [SECONDS]      coverage-guided fuzzing of the parsers (*_fuzz targets), each for this long (60)
# shellcheck shell=bash
seconds="${1:-60}"
need_configured fuzz
mapfile -t targets < <(cmake --build build/fuzz --target help | grep -oE '^\w+_fuzz\b' | sort -u)
[[ ${#targets[@]} -gt 0 ]] || die "there are no *_fuzz targets"
need_build fuzz "${targets[@]}"
for target in "${targets[@]}"; do
    program="$(find build/fuzz -type f -name "$target" -perm -u+x)"
    # Found inputs stay in the cache; the seeds are those of the module that the target's name begins with.
    folders=("$CACHE/fuzz/$target")
    [[ -d "tests/fuzz/seeds/${target%%_*}" ]] && folders+=("tests/fuzz/seeds/${target%%_*}")
    mkdir -p "${folders[0]}"
    say "$target for $seconds s"
    "$program" "${folders[@]}" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 \
        -artifact_prefix="build/fuzz/$target-"
done
