# Gives stable-diffusion.cpp the ggml of our llama.cpp build (docs/decisions/0002-one-ggml.md) through find_package(ggml).
add_library(ggml::ggml INTERFACE IMPORTED)
target_include_directories(ggml::ggml SYSTEM INTERFACE ${GGML_SOURCE}/include ${GGML_SOURCE}/src)
target_compile_definitions(ggml::ggml INTERFACE GGML_MAX_NAME=128 GGML_BACKEND_DL GGML_SHARED GGML_BACKEND_SHARED)
target_link_libraries(ggml::ggml INTERFACE ${GGML_LIBRARIES}/libggml.so ${GGML_LIBRARIES}/libggml-base.so)
