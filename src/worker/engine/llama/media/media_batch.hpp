#pragma once

/// An encoded piece of media as batches for llama.cpp.

#include <llama.h>

#include <vector>

#include "worker/engine/llama/media/projector.hpp"

namespace worker::engine::llama {

class MediaBatch {
public:
    /// Of what the projector's encoder was last done with, to begin at `position`.
    MediaBatch(Projector& projector, const LlamaMedia& media, llama_pos position, Sequence sequence);

    /// The position of what follows it.
    llama_pos end() const { return end_; }

    /// Some of its tokens, in the arrays of `arrays`; until the next call.
    llama_batch part(std::size_t begin, std::size_t count, bool output, const llama_batch& arrays) const;

private:
    std::span<const float> embeddings_;
    std::size_t width_;
    Sequence sequence_;
    llama_pos end_;
    /// [dimensions][tokens]
    std::vector<std::vector<llama_pos>> positions_;
    mutable std::vector<llama_pos> shown_;
};

/// While it lives, tokens of a batch see each other whatever their order; without `wanted` it does nothing.
class SeenAtOnce {
public:
    SeenAtOnce(llama_context* context, bool wanted) : context_(wanted ? context : nullptr) { set(false); }
    SeenAtOnce(const SeenAtOnce&) = delete;
    SeenAtOnce& operator=(const SeenAtOnce&) = delete;
    ~SeenAtOnce() { set(true); }

private:
    void set(bool in_order) {
        if (context_ != nullptr) {
            llama_set_causal_attn(context_, in_order);
        }
    }

    llama_context* context_;
};

}  // namespace worker::engine::llama
