#pragma once

/// For tests: the real engine with models of random weights, which the build makes (tools/make_tiny_sd.py).

#include <filesystem>
#include <memory>

#include "worker/engine/diffusion/diffusion_engine.hpp"
#include "worker/engine/diffusion/generation.hpp"

namespace worker::engine::diffusion {

inline const std::filesystem::path models = TINY_MODELS;

inline const Kernels& kernels() {
    static const Kernels loaded = load_kernels(ENGINE_LIBRARIES).value();
    return loaded;
}

inline ModelPaths nano() {
    return {.model = models / "random-nano.safetensors", .taesd = models / "random-nano-tae.safetensors"};
}

inline base::Result<std::unique_ptr<image::PictureEngine>> load(const ModelPaths& paths) {
    // One thread: the engine's threads spin for each other, which on a machine that also does something else takes a
    // hundred times as long.
    return load_diffusion_engine({.paths = paths, .kernels = kernels(), .threads = 1});
}

}  // namespace worker::engine::diffusion
