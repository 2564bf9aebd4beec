#!/bin/bash
# check_release.sh FOLDER: every library that a program of a release folder needs, but for those of glibc, must be found
# inside that folder, and the programs must start from wherever it was moved to.
set -euo pipefail
folder="$(readlink -f "$1")"
moved="$(mktemp -d)"
trap 'rm -rf "$moved"' EXIT
cp -a "$folder/." "$moved/"

# The C library and its parts belong to the system: they must fit its loader and its kernel.
system='^(linux-vdso|ld-linux|libc|libm|libdl|libpthread|librt|libresolv|libutil|libanl|libmvec|libnss_[a-z]*)[.-]'
faults=0
for file in "$moved"/bin/* "$moved"/lib/*.so*; do
    [[ -L "$file" ]] && continue
    while read -r name arrow path _; do
        [[ "$(basename "$name")" =~ $system ]] && continue
        if [[ "$arrow" != "=>" || "$path" != "$moved"/* ]]; then
            echo "$(basename "$file") takes $name from ${path:-nowhere}" >&2
            faults=1
        fi
    done < <(env -u LD_LIBRARY_PATH ldd "$file" | grep -v 'statically linked')
done
[[ $faults -eq 0 ]] || exit 1

for program in "$moved"/bin/*; do
    env -i HOME=/nowhere "$program" --help > /dev/null || { echo "$(basename "$program") does not start" >&2; exit 1; }
done
echo "$(basename "$folder"): $(find "$folder/bin" -type f | wc -l) programs, all libraries but glibc inside, $(du -sh "$folder" | cut -f1)"
