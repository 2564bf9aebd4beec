# What every task may ask for before it starts: Debian packages, Python and Node tools, models. Each function does nothing
# when all is there. Sourced by ./dev.
# shellcheck shell=bash disable=SC2034  # the variables set here are read by the tasks

CACHE="${LLM_GATEWAY_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/llm-gateway}"
export LLM_GATEWAY_CACHE="$CACHE"
# A cache folder of one's own holds the compiler's cache too; otherwise ccache keeps its own place.
if [[ "$CACHE" != "${XDG_CACHE_HOME:-$HOME/.cache}/llm-gateway" ]]; then
    export CCACHE_DIR="${CCACHE_DIR:-$CACHE/ccache}"
fi
# Compiled files are shared between checkouts.
export CCACHE_BASEDIR="$PWD" CCACHE_NOHASHDIR=true
# Debian's own Python even when another one comes first in PATH.
SYSTEM_PYTHON=/usr/bin/python3

say() { printf '\033[1m== %s\033[0m\n' "$*" >&2; }
die() { echo "./dev: $*" >&2; exit 1; }

# Names of the packages of the given sections of packages.txt that are not installed.
missing_packages() {
    local section="" package command
    while read -r package command; do
        case "$package" in
            "" | \#*) continue ;;
            \[*\]) section="${package:1:-1}"; continue ;;
        esac
        [[ " $* " == *" $section "* ]] || continue
        if [[ -n "$command" ]] && command -v "$command" > /dev/null; then continue; fi
        if dpkg-query --show --showformat='${db:Status-Status}\n' "$package" 2> /dev/null | grep -qx installed; then
            continue
        fi
        echo "$package"
    done < tools/packages.txt
}

# need_packages SECTION...
need_packages() {
    command -v dpkg-query > /dev/null || die "this script knows Debian 12; the packages needed are in tools/packages.txt"
    local missing
    mapfile -t missing < <(missing_packages "$@")
    [[ ${#missing[@]} -eq 0 ]] && return
    local become_root=()
    if [[ $EUID -ne 0 ]]; then
        command -v sudo > /dev/null || die "as root, please: apt-get install --no-install-recommends ${missing[*]}"
        become_root=(sudo)
    fi
    say "installing ${#missing[@]} Debian packages"
    "${become_root[@]}" apt-get update -qq
    "${become_root[@]}" env DEBIAN_FRONTEND=noninteractive \
        apt-get install -y -qq --no-install-recommends "${missing[@]}" > /dev/null
}

# need_python REQUIREMENTS: makes a virtual environment with exactly these packages and sets PYTHON to its interpreter.
need_python() {
    local requirements="$1" folder
    folder="$CACHE/python/$(sha256sum "$requirements" | cut -c1-16)"
    if [[ ! -f "$folder/complete" ]]; then
        say "installing Python packages of $requirements"
        rm -rf "$folder"
        "$SYSTEM_PYTHON" -m venv "$folder"
        "$folder/bin/pip" install --quiet --disable-pip-version-check --requirement "$requirements"
        touch "$folder/complete"
    fi
    PYTHON="$folder/bin/python"
}

# need_node FOLDER: installs what FOLDER/package-lock.json pins, into the cache, and sets NODE_PACKAGES to where it is.
need_node() {
    local folder
    folder="$CACHE/node/$(sha256sum "$1/package-lock.json" | cut -c1-16)"
    if [[ ! -f "$folder/complete" ]]; then
        say "installing Node packages of $1"
        rm -rf "$folder"
        mkdir -p "$folder"
        cp "$1/package.json" "$1/package-lock.json" "$folder/"
        npm ci --prefix "$folder" --silent --no-audit --no-fund
        touch "$folder/complete"
    fi
    NODE_PACKAGES="$folder"
}

# need_java FOLDER: compiles the program of FOLDER, a Maven project, in the cache, and sets JAVA_CLASSES to its class path.
need_java() {
    local folder
    folder="$CACHE/java/$(find "$1" -type f -print0 | sort -z | xargs -0 sha256sum | sha256sum | cut -c1-16)"
    if [[ ! -f "$folder/complete" ]]; then
        say "compiling the Java program of $1"
        rm -rf "$folder"
        mkdir -p "$folder"
        cp -r "$1/." "$folder/"
        mvn --quiet --batch-mode --file "$folder/pom.xml" compile dependency:copy-dependencies
        touch "$folder/complete"
    fi
    JAVA_CLASSES="$folder/target/classes:$folder/target/dependency/*"
}

# need_configured PRESET: a build folder for this preset.
need_configured() {
    local preset="$1"
    need_packages build
    [[ -f "build/$preset/build.ninja" ]] && return
    say "configuring $preset (the first time on a machine builds the engines: 7 to 15 minutes on two cores)"
    mkdir -p build
    cmake --preset "$preset" > "build/configure-$preset.log" 2>&1 ||
        { tail -50 "build/configure-$preset.log" >&2; die "configuring failed"; }
}

# need_build PRESET [TARGET...]: configures when needed and builds.
need_build() {
    local preset="$1"
    shift
    need_configured "$preset"
    say "building $preset"
    cmake --build "build/$preset" ${1:+--target "$@"} >&2
}

# need_model NAME: sets MODEL to the path of a model of models/models.json, fetched and checked.
need_model() {
    MODEL="$("$SYSTEM_PYTHON" models/fetch.py "$1" --folder "$CACHE/models")"
}

# need_image_model: sets IMAGE_MODEL and IMAGE_AUTOENCODER, files with seeded random weights in the real format.
need_image_model() {
    local folder
    folder="$CACHE/models/random-weights-sd-nano-$(sha256sum tools/make_tiny_sd.py | cut -c1-16)"
    IMAGE_MODEL="$folder/random-weights-sd-nano.safetensors"
    IMAGE_AUTOENCODER="$folder/random-weights-sd-nano-tae.safetensors"
    if [[ ! -f "$folder/complete" ]]; then
        mkdir -p "$folder"
        "$SYSTEM_PYTHON" tools/make_tiny_sd.py --arch nano --out "$IMAGE_MODEL" \
            --autoencoder-out "$IMAGE_AUTOENCODER" >&2 || die "the image model could not be made"
        touch "$folder/complete"
    fi
}
