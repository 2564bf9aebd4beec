# packages SECTION... install the Debian packages of these sections of tools/packages.txt
# shellcheck shell=bash
need_packages "$@"
