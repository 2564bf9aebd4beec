# run [-- OPTIONS]    build the release and serve a chat model and a stand-in image model; OPTIONS go to `llm-gateway serve`
# shellcheck shell=bash
[[ "${1:-}" == "--" ]] && shift

need_packages build
need_model smollm2-135m-instruct
need_image_model
need_build release llm-gateway llm-gateway-text-worker llm-gateway-image-worker

host=127.0.0.1
port=8080
previous=""
for argument in "$@"; do
    case "$previous" in
        --host) host="$argument" ;;
        --port) port="$argument" ;;
    esac
    previous="$argument"
done

cat >&2 <<TEXT

  http://$host:$port/docs    the API, to read and to try
  Ctrl-C ends the server. Ask it something:

  curl http://$host:$port/v1/chat/completions -H 'Content-Type: application/json' \\
    -d '{"model": "smollm2-135m-instruct", "messages": [{"role": "user", "content": "Name three rivers."}], "stream": true}'

  The image model, random-weights-sd-nano, has random weights: its pictures are coloured noise. The README shows how
  to serve a real one.

TEXT
exec build/release/bin/llm-gateway serve \
    --model "smollm2-135m-instruct=$MODEL" \
    --image-model "random-weights-sd-nano=$IMAGE_MODEL,taesd=$IMAGE_AUTOENCODER" \
    "$@"
