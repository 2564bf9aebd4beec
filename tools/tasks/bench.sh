# bench NAME [OPTS]   run a benchmark of bench/, e.g. `./dev bench gateway`
# shellcheck shell=bash
name="${1:-}"
[[ -n "$name" && -f "bench/$name/run.py" ]] || die "benchmarks: $(cd bench && echo */ | tr -d /)"
shift
need_packages build bench
PYTHON="$SYSTEM_PYTHON"
[[ -f "bench/$name/requirements.txt" ]] && need_python "bench/$name/requirements.txt"
# What a benchmark needs beyond that (builds, models, peers) it says in its own set_up.sh, as options in OPTIONS.
OPTIONS=()
if [[ -f "bench/$name/set_up.sh" ]]; then
    # shellcheck disable=SC1090  # one of bench/
    source "bench/$name/set_up.sh"
fi
"$PYTHON" "bench/$name/run.py" "${OPTIONS[@]}" "$@"
