#pragma once

/// stable-diffusion.cpp as a PictureEngine; this folder is its only user.

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "worker/engine/kernels.hpp"
#include "worker/engine/memory_limit.hpp"
#include "worker/image/picture_engine.hpp"

namespace worker::engine::diffusion {

/// The files of a model. Either `model` (all in one) or `diffusion_model` with its encoders and autoencoder; or only
/// `upscaler`. Empty: not given.
struct ModelPaths {
    std::filesystem::path model;
    std::filesystem::path diffusion_model;
    std::filesystem::path vae;
    /// Given together with `vae`: draws previews. Given without: decodes the pictures.
    std::filesystem::path taesd;
    std::filesystem::path clip_l;
    std::filesystem::path clip_g;
    std::filesystem::path t5xxl;
    std::filesystem::path llm;
    std::filesystem::path control_net;
    std::filesystem::path upscaler;
    std::filesystem::path lora_folder;
};

struct LoadOptions {
    ModelPaths paths;
    /// Loaded before, with `load_kernels`.
    Kernels kernels;
    unsigned threads = 1;
    /// For what the text encoders made of earlier prompts; 0: none is kept.
    std::size_t prompt_cache_bytes = std::size_t{64} << 20;
    /// Where to look how much memory there is.
    MemorySources memory = {};
    /// Told 0..1 while the weights are read, on the loading thread.
    std::function<void(double)> on_progress = [](double) {};
};

/// What a family of models cannot be loaded with, though the engine tries. Pure.
base::Result<void> check_parts(std::string_view family, const ModelPaths& paths);

/// Reads the files; blocks. One engine at a time in a process. An error is one sentence for the person who started the
/// worker.
base::Result<std::unique_ptr<image::PictureEngine>> load_diffusion_engine(const LoadOptions& options);

}  // namespace worker::engine::diffusion
