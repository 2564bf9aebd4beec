# package             a self-contained release folder and its archive in dist/
# shellcheck shell=bash
need_packages build package
need_build release llm-gateway llm-gateway-text-worker llm-gateway-image-worker
version="$(sed -n 's/^project(llm-gateway VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)"
name="llm-gateway-$version-linux-$(uname -m)"
rm -rf "dist/$name"
say "installing into dist/$name"
cmake --install build/release --prefix "dist/$name" --strip > /dev/null
tools/check_release.sh "dist/$name"
tar --directory dist --sort=name --owner=0 --group=0 --numeric-owner --mtime=@0 -c "$name" | zstd -q -T0 -10 -f -o "dist/$name.tar.zst"
(cd dist && sha256sum "$name.tar.zst" | tee "$name.tar.zst.sha256")
