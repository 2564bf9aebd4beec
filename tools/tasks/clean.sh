# clean               delete build/ and dist/; the cache outside the tree stays
# shellcheck shell=bash
rm -rf build dist
