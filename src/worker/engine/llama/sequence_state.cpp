#include "worker/engine/llama/sequence_state.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>

namespace worker::engine::llama {
namespace {

constexpr std::size_t largest_piece = 256;

// Before the bytes of each piece, its length.
using PieceSize = std::uint64_t;

llama_pos position(std::size_t token) {
    return static_cast<llama_pos>(token);
}

std::uint8_t* raw(std::byte* bytes) {
    return reinterpret_cast<std::uint8_t*>(bytes);
}

const std::uint8_t* raw(const std::byte* bytes) {
    return reinterpret_cast<const std::uint8_t*>(bytes);
}

SavedState uninitialised(std::size_t size) {
    return {.bytes = std::make_unique_for_overwrite<std::byte[]>(size), .size = size};
}

}  // namespace

// Windows that advance in chunks begin at multiples of their size; so do pieces.
SequenceStates::SequenceStates(llama_context* context, Sequence scratch, std::size_t sliding_window)
    : context_(context),
      scratch_(scratch),
      piece_(sliding_window == 0 ? largest_piece : std::min(largest_piece, sliding_window)) {}

base::Result<SavedState> SequenceStates::save(Sequence sequence, std::size_t from, std::size_t to) {
    const auto mark = [&](std::size_t begin, std::size_t end) {
        llama_memory_seq_cp(memory(), sequence, scratch_, position(begin), position(end));
    };
    const auto unmark = [&] { llama_memory_seq_rm(memory(), scratch_, -1, -1); };
    const auto end_of_piece = [&](std::size_t begin) { return std::min(to, (begin / piece_ + 1) * piece_); };
    std::size_t size = 0;
    for (std::size_t begin = from; begin < to; begin = end_of_piece(begin)) {
        mark(begin, end_of_piece(begin));
        size += sizeof(PieceSize) + llama_state_seq_get_size(context_, scratch_);
        unmark();
    }
    SavedState state = uninitialised(size);
    std::size_t written = 0;
    for (std::size_t begin = from; begin < to; begin = end_of_piece(begin)) {
        mark(begin, end_of_piece(begin));
        const std::size_t room = size - written - sizeof(PieceSize);
        const PieceSize bytes =
            llama_state_seq_get_data(context_, raw(&state.bytes[written + sizeof(PieceSize)]), room, scratch_);
        unmark();
        if (bytes == 0) {
            return base::fail(base::ErrorCode::internal, "The engine cannot save its memory.");
        }
        std::memcpy(&state.bytes[written], &bytes, sizeof bytes);
        written += sizeof(PieceSize) + bytes;
    }
    state.size = written;
    return state;
}

bool SequenceStates::restore(Sequence sequence, std::size_t from, std::size_t to, std::span<const std::byte> state,
                             std::size_t begins) {
    const auto give_up = [&] {
        llama_memory_seq_rm(memory(), scratch_, -1, -1);
        llama_memory_seq_rm(memory(), sequence, -1, -1);
        return false;
    };
    for (std::size_t begin = begins; begin < to;) {
        const std::size_t end = (begin / piece_ + 1) * piece_;  // of the last piece at most
        PieceSize size = 0;
        if (state.size() < sizeof size) {
            return give_up();
        }
        std::memcpy(&size, state.data(), sizeof size);
        state = state.subspan(sizeof size);
        if (state.size() < size) {
            return give_up();
        }
        if (end > from) {
            if (llama_state_seq_set_data(context_, raw(state.data()), size, scratch_) != size) {
                return give_up();
            }
            const bool whole = llama_memory_seq_pos_min(memory(), scratch_) == position(begin) &&
                               llama_memory_seq_pos_max(memory(), scratch_) + 1 >= position(std::min(end, to));
            if (!whole) {
                return give_up();
            }
            llama_memory_seq_cp(memory(), scratch_, sequence, position(std::max(begin, from)),
                                position(std::min(end, to)));
            llama_memory_seq_rm(memory(), scratch_, -1, -1);
        }
        state = state.subspan(size);
        begin = end;
    }
    return true;
}

base::Result<SavedState> save_whole(llama_context* context, Sequence sequence) {
    SavedState state = uninitialised(llama_state_seq_get_size(context, sequence));
    state.size = llama_state_seq_get_data(context, raw(state.bytes.get()), state.size, sequence);
    if (state.size == 0) {
        return base::fail(base::ErrorCode::internal, "The engine cannot save its memory.");
    }
    return state;
}

bool restore_whole(llama_context* context, Sequence sequence, std::span<const std::byte> state) {
    if (llama_state_seq_set_data(context, raw(state.data()), state.size(), sequence) == state.size()) {
        return true;
    }
    llama_memory_seq_rm(llama_get_memory(context), sequence, -1, -1);
    return false;
}

}  // namespace worker::engine::llama
