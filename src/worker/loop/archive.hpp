#pragma once

/// Saved parts of sequences outside the engine's cells, in host memory, bounded. What is here stays here when it is put
/// back into cells: a sequence that grew and is given up again adds only its new part.

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "worker/engine/engine.hpp"
#include "worker/prefix/saved_states.hpp"

namespace worker::loop {

class Archive {
public:
    struct Limits {
        std::size_t memory_bytes = 0;
    };
    using Id = prefix::SavedStates::Id;
    using Piece = prefix::SavedStates::Piece;

    Archive(engine::Saving saving, const Limits& limits);

    /// Whether anything may be kept at all.
    bool keeps() const { return limits_.memory_bytes > 0; }

    /// See SavedStates.
    std::vector<Piece> cover(std::span<const engine::Token> tokens, std::string_view salt, std::size_t have) const {
        return states_.cover(tokens, salt, have);
    }
    std::size_t covered(std::span<const engine::Token> tokens, std::string_view salt, std::size_t have) const {
        return states_.covered(tokens, salt, have);
    }
    std::size_t from(Id state) const { return states_.from(state); }
    std::size_t to(Id state) const { return states_.to(state); }

    /// What follows the first `from` of `tokens`. Others go to make room for it; it is not kept when it is larger than
    /// all room.
    void keep(std::span<const engine::Token> tokens, std::string_view salt, std::size_t from, engine::SavedState state);
    /// The bytes, for use now; until the next call.
    std::span<const std::byte> use(Id state);
    /// It turned out not to be what it should.
    void discard(Id state);

    std::size_t memory_bytes() const { return states_.bytes(prefix::Tier::memory); }
    const Limits& limits() const { return limits_; }

private:
    Limits limits_;
    prefix::SavedStates states_;
    std::unordered_map<Id, engine::SavedState> in_memory_;
};

}  // namespace worker::loop
