#pragma once

/// For tests with real models, which `./dev test unit` fetches: where they are, and text to have them read.

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "worker/engine/kernels.hpp"
#include "worker/engine/llama/load.hpp"

namespace worker::engine::llama {

inline std::filesystem::path model_folder() {
    if (const char* cache = std::getenv("LLM_GATEWAY_CACHE")) {
        return std::filesystem::path(cache) / "models";
    }
    const char* home = std::getenv("HOME");
    return std::filesystem::path(home == nullptr ? "/root" : home) / ".cache/llm-gateway/models";
}

struct RealModel {
    const char* file = "SmolLM2-135M-Instruct.Q4_1.gguf";
    CacheType cache_type = CacheType::f16;
    FlashAttention flash_attention = FlashAttention::on;
    unsigned threads = 1;
    std::size_t context = 2048;
    const char* draft_model = nullptr;
};

inline void PrintTo(const RealModel& model, std::ostream* out) {
    *out << model.file << ", type " << static_cast<int>(model.cache_type) << ", attention "
         << static_cast<int>(model.flash_attention) << ", threads " << model.threads;
}

inline base::Result<std::unique_ptr<TextEngine>> load_model(const RealModel& model) {
    static const auto kernels = load_kernels(ENGINE_LIBRARIES);
    return load({.model = (model_folder() / model.file).string(),
                 .context = model.context,
                 .slots = 4,
                 .threads = model.threads,
                 .cache_type = model.cache_type,
                 .flash_attention = model.flash_attention,
                 .draft_model = model.draft_model == nullptr ? "" : (model_folder() / model.draft_model).string()},
                *kernels, [](double) {});
}

/// A greedy job about a text of 60 lines, about a thousand tokens.
inline Prepared prepare_long_text(TextEngine& engine) {
    std::string text;
    for (int line = 0; line < 60; ++line) {
        text += "Line " + std::to_string(line * line) + " of a text that goes on and on.\n";
    }
    contract::TextJob job;
    job.set_text(text);
    job.mutable_sampling()->set_temperature(0);
    return std::move(engine.prepare(job).value());
}

}  // namespace worker::engine::llama
