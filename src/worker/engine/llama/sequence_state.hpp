#pragma once

/// Copies stretches of a sequence out of a unified pool of cells and back. llama.cpp saves and restores whole sequences
/// only; marking a stretch as a sequence of its own, which copies nothing, makes it one. Stretches are saved in pieces,
/// so that a part can be restored, and a sliding window, outside of which llama.cpp saves nothing, never cuts one.

#include <llama.h>

#include <cstddef>
#include <span>

#include "worker/engine/engine.hpp"

namespace worker::engine::llama {

class SequenceStates {
public:
    /// `scratch` is a sequence that nobody else uses; it is empty between calls.
    SequenceStates(llama_context* context, Sequence scratch, std::size_t sliding_window);

    /// Tokens of one piece, and so the cells that restoring a part of one can need beside.
    std::size_t piece_tokens() const { return piece_; }

    base::Result<SavedState> save(Sequence sequence, std::size_t from, std::size_t to);
    /// See TextEngine.
    bool restore(Sequence sequence, std::size_t from, std::size_t to, std::span<const std::byte> state,
                 std::size_t begins);

private:
    llama_memory_t memory() const { return llama_get_memory(context_); }

    llama_context* context_;
    Sequence scratch_;
    std::size_t piece_;
};

/// For memory that is a running state.
base::Result<SavedState> save_whole(llama_context* context, Sequence sequence);
bool restore_whole(llama_context* context, Sequence sequence, std::span<const std::byte> state);

}  // namespace worker::engine::llama
