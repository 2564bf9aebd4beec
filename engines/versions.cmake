# Which engines are built. The Python source archives carry the C++ sources whole; nothing of their Python is used.
# The SHA-256 is that of the archive as the package index serves it.

set(LLAMA_PACKAGE llama-cpp-python)
set(LLAMA_PACKAGE_VERSION 0.3.36)
set(LLAMA_PACKAGE_SHA256 832db0699007f1be95a7e41ef12e88926b02ba836461e36a36372db2760c1a2e)

set(DIFFUSION_PACKAGE stable-diffusion-cpp-python)
set(DIFFUSION_PACKAGE_VERSION 0.4.7)
set(DIFFUSION_PACKAGE_SHA256 998d1957260dd5ae4e18a8acc0c14b0a8757aaa9f96515197b6d5bbf46df9282)

# Every CPU kernel variant as a module of its own, chosen at run time; no variant for the building machine alone.
set(GGML_OPTIONS
  -DBUILD_SHARED_LIBS=ON
  -DGGML_BACKEND_DL=ON
  -DGGML_CPU_ALL_VARIANTS=ON
  -DGGML_NATIVE=OFF
  -DGGML_LLAMAFILE=ON
  -DGGML_OPENMP=OFF)

set(LLAMA_OPTIONS
  -DLLAMA_BUILD_COMMON=ON
  -DLLAMA_BUILD_TESTS=OFF
  -DLLAMA_BUILD_EXAMPLES=OFF
  -DLLAMA_BUILD_TOOLS=ON
  -DLLAMA_BUILD_SERVER=ON
  -DMTMD_VIDEO=OFF
  -DLLAMA_BUILD_UI=OFF
  -DLLAMA_USE_PREBUILT_UI=OFF
  -DLLAMA_OPENSSL=OFF)

set(LLAMA_TARGETS ggml llama llama-common mtmd)

set(DIFFUSION_OPTIONS
  -DSD_USE_SYSTEM_GGML=ON
  -DSD_BUILD_EXAMPLES=OFF)
