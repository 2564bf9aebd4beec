# lint                layout, shell scripts, container files, Python syntax, things that must not be committed
# shellcheck shell=bash
need_packages build test
need_python tests/requirements.txt

say "layout of C++ files"
# shellcheck source=tools/tasks/format.sh
(set -- --check && source tools/tasks/format.sh)

say "shell scripts"
mapfile -t scripts < <(git ls-files '*.sh' dev .ci/run)
shellcheck --external-sources "${scripts[@]}"

say "container files"
"$PYTHON" tools/lint_container.py deploy

say "what must not be committed"
# Package indexes are used through their clients' settings, so that a mirror works; no file names a host of one.
hosts='pypi\.''org|pythonhosted\.''org|registry\.npmjs\.''org|deb\.debian\.''org|huggingface\.''co|hub\.docker\.''com'
if git grep -nIE "$hosts" -- . ':!docs' ':!*.md'; then
    die "a package index is named by its host"
fi
if git grep -nIE 'resolved":' -- '*package-lock.json'; then
    die "a lock file has download addresses"
fi
large="$(git ls-files -z | xargs -0 --no-run-if-empty stat --format='%s %n' | awk '$1 > 1000000 {print $2}')"
[[ -z "$large" ]] || die "files over 1 MB: $large"

say "Python files"
"$PYTHON" -m compileall -q -f -o 0 tools models tests bench > /dev/null
find tools models tests bench -name __pycache__ -prune -exec rm -rf {} +
