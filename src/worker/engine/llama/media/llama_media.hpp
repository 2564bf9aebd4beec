#pragma once

/// A piece of media as mtmd has prepared it for its encoder.

#include <mtmd.h>

#include <memory>

#include "worker/engine/media_tokens.hpp"

namespace worker::engine::llama {

struct LlamaMedia final : Media {
    /// Holds `chunk`.
    std::shared_ptr<const mtmd_input_chunks> chunks;
    const mtmd_input_chunk* chunk = nullptr;
    MediaDigest digest{};
};

}  // namespace worker::engine::llama
