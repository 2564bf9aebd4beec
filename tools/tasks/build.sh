# build [PRESET]      build a preset of CMakePresets.json (release)
# shellcheck shell=bash
need_build "${1:-release}"
