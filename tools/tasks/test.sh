# test [PART...]      lint, unit and system (default: all); `-- OPTIONS` go to pytest
# shellcheck shell=bash
parts=()
while [[ $# -gt 0 && "$1" != "--" ]]; do
    parts+=("$1")
    shift
done
[[ "${1:-}" == "--" ]] && shift
[[ ${#parts[@]} -eq 0 ]] && parts=(lint unit system)

# CI builds as a developer does, but there a warning is an error.
sanitized=dev
[[ "${CI:-}" == true ]] && sanitized=ci

lint() {
    # shellcheck source=tools/tasks/lint.sh
    source tools/tasks/lint.sh
}

unit() {
    need_build "$sanitized"
    need_model smollm2-135m-instruct
    need_model gemma-3-270m
    say "unit tests, with address and undefined-behaviour sanitizers"
    ctest --test-dir "build/$sanitized" --output-on-failure --parallel 2
}

# The real programs from the outside: clients, browser, fuzzer, faults, load.
system() {
    need_build "$sanitized" llm-gateway llm-gateway-scripted-worker
    need_build release llm-gateway llm-gateway-text-worker llm-gateway-image-worker llm-gateway-scripted-worker
    need_python tests/requirements.txt
    need_node tests/contract/node
    need_model smollm2-135m-instruct
    need_model qwen2.5-coder-0.5b-instruct
    say "system tests"
    LLM_GATEWAY_BUILD="$PWD/build/release" LLM_GATEWAY_SCRIPTED_BUILD="$PWD/build/$sanitized" \
        LLM_GATEWAY_NODE_PACKAGES="$NODE_PACKAGES" PYTHONDONTWRITEBYTECODE=1 \
        "$PYTHON" -m pytest --rootdir tests -c tests/pytest.ini tests "$@"
}

need_packages build test
for part in "${parts[@]}"; do
    case "$part" in
        lint) lint ;;
        unit) unit ;;
        system) system "$@" ;;
        *) die "test knows lint, unit and system, not '$part'" ;;
    esac
done
