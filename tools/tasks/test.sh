# test [PART...]      lint, unit, system (default: these three), clients and llama-server; `-- OPTIONS` go to pytest
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
    need_model all-minilm-l6-v2
    need_model random-weights-reranker
    say "unit tests, with address and undefined-behaviour sanitizers"
    ctest --test-dir "build/$sanitized" --output-on-failure --parallel 2
}

# The real programs from the outside: clients, browser, fuzzer, faults, load.
system() {
    need_build "$sanitized" llm-gateway llm-gateway-scripted-worker schema-sampler
    need_build release llm-gateway llm-gateway-text-worker llm-gateway-image-worker llm-gateway-scripted-worker \
        mtmd-reference
    need_python tests/requirements.txt
    need_node tests/contract/node
    need_model smollm2-135m-instruct
    need_model qwen2.5-coder-0.5b-instruct
    need_model all-minilm-l6-v2
    need_model random-weights-reranker
    need_model realesrgan-x4-anime
    say "system tests"
    LLM_GATEWAY_BUILD="$PWD/build/release" LLM_GATEWAY_SCRIPTED_BUILD="$PWD/build/$sanitized" \
        LLM_GATEWAY_NODE_PACKAGES="$NODE_PACKAGES" PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=tests \
        "$PYTHON" -m pytest -p support.judge --rootdir tests -c tests/pytest.ini --ignore tests/clients tests "$@"
}

# Client libraries, unchanged but for their base URL, against the real programs. OpenAI's and Anthropic's own run in two
# versions: those that the other libraries want, and the newest.
clients() {
    need_packages clients
    need_build release llm-gateway llm-gateway-text-worker llm-gateway-image-worker
    need_model smollm2-135m-instruct
    need_model qwen2.5-coder-0.5b-instruct
    need_model all-minilm-l6-v2
    need_node tests/clients/node
    need_java tests/clients/java
    need_python tests/clients/newest.txt
    local newest="$PYTHON"
    need_python tests/clients/requirements.txt
    say "client libraries"
    # The second list keeps the libraries from asking anybody else for anything.
    local settings=(
        LLM_GATEWAY_BUILD="$PWD/build/release" LLM_GATEWAY_CLIENT_NODE_PACKAGES="$NODE_PACKAGES"
        LLM_GATEWAY_CLIENT_JAVA_CLASSES="$JAVA_CLASSES" PYTHONDONTWRITEBYTECODE=1
        LITELLM_LOCAL_MODEL_COST_MAP=True LITELLM_TELEMETRY=False HF_HUB_OFFLINE=1 OPENAI_AGENTS_DISABLE_TRACING=1
        LANGSMITH_TRACING=false DO_NOT_TRACK=1)
    # Their own warnings are their authors' affair.
    local options=(--rootdir tests -c tests/pytest.ini -W ignore)
    env "${settings[@]}" "$PYTHON" -m pytest "${options[@]}" tests/clients "$@"
    env "${settings[@]}" "$newest" -m pytest "${options[@]}" tests/clients/test_openai_python.py \
        tests/clients/test_anthropic_python.py "$@"
}

# llama.cpp's own tests of its server, from the source of the engine, with our gateway in llama-server's place.
llama_server() {
    need_build release llm-gateway llm-gateway-text-worker
    need_model smollm2-135m-instruct
    need_model all-minilm-l6-v2
    need_model random-weights-reranker
    need_python tests/llama_server/requirements.txt
    local engine tests
    engine="$(dirname "$(readlink -f build/release/lib/libllama.so)")"
    tests="$(readlink -f "$engine/../../source/vendor/llama.cpp/tools/server/tests")"
    [[ -d "$tests" ]] || die "the source of the engine in $engine has no tests of the server"
    say "llama.cpp's tests of its server"
    env LLM_GATEWAY_BUILD="$PWD/build/release" LLM_GATEWAY_LLAMA_SERVER_TESTS="$tests" PYTHONPATH="$PWD/tests" \
        PYTHONDONTWRITEBYTECODE=1 "$PYTHON" -m pytest --rootdir "$tests" -c tests/llama_server/pytest.ini "$tests/unit" "$@"
}

need_packages build test
for part in "${parts[@]}"; do
    case "$part" in
        lint) lint ;;
        unit) unit ;;
        system) system "$@" ;;
        clients) clients "$@" ;;
        llama-server) llama_server "$@" ;;
        *) die "test knows lint, unit, system, clients and llama-server, not '$part'" ;;
    esac
done
