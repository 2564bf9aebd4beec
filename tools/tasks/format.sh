# format [--check]    lay out the C++ files by .clang-format; with --check, say which ones are not
# shellcheck shell=bash
need_packages test
mapfile -t files < <(git ls-files '*.cpp' '*.hpp' | while read -r file; do [[ -f "$file" ]] && echo "$file"; done)
if [[ "${1:-}" == "--check" ]]; then
    clang-format-19 --dry-run --Werror "${files[@]}"
else
    clang-format-19 -i "${files[@]}"
fi
