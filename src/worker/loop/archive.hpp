#pragma once

/// Saved parts of sequences outside the engine's cells: in host memory, and in files if there is a folder for them, each
/// bounded. What is here stays here when it is put back into cells: a sequence that grew and is given up again adds only
/// its new part. Everything is written to files as it comes, by another thread, so that what memory then gives up, and
/// a restart, costs nothing more.

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "worker/engine/engine.hpp"
#include "worker/prefix/saved_states.hpp"
#include "worker/spill/state_folder.hpp"

namespace worker::loop {

class Archive {
public:
    struct Limits {
        std::size_t memory_bytes = 0;
        std::size_t disk_bytes = 0;
        /// May be null. For one loop.
        std::shared_ptr<spill::StateFolder> folder;
    };
    using Id = prefix::SavedStates::Id;
    using Piece = prefix::SavedStates::Piece;
    using SharedState = spill::StateFolder::SharedState;

    /// A state for use now, and where it was.
    struct Loaded {
        SharedState state;
        prefix::Tier tier = prefix::Tier::memory;
    };

    Archive(engine::Saving saving, const Limits& limits);

    /// Whether anything may be kept at all.
    bool keeps() const { return limits_.memory_bytes > 0 || limits_.folder != nullptr; }

    /// See SavedStates.
    std::vector<Piece> cover(std::span<const engine::Token> tokens, std::string_view salt, std::size_t have) const {
        return states_.cover(tokens, key_of(salt), have);
    }
    std::size_t covered(std::span<const engine::Token> tokens, std::string_view salt, std::size_t have) const {
        return states_.covered(tokens, key_of(salt), have);
    }
    std::size_t from(Id state) const { return states_.from(state); }

    /// What follows the first `from` of `tokens`. Others go to make room for it; it is not kept when it is larger than
    /// all room.
    void keep(std::span<const engine::Token> tokens, std::string_view salt, std::size_t from, engine::SavedState state);
    /// Null when a file turned out to be damaged; the state is forgotten then. Reads the file here and now.
    Loaded use(Id state);
    /// It turned out not to be what it should.
    void discard(Id state);

    std::size_t bytes(prefix::Tier tier) const { return states_.bytes(tier); }
    const Limits& limits() const { return limits_; }

private:
    std::string key_of(std::string_view salt) const;
    void take_found();
    void drop(Id state, prefix::Tier tier);
    void make_room(prefix::Tier tier);

    Limits limits_;
    prefix::SavedStates states_;
    std::unordered_map<Id, SharedState> in_memory_;
    std::unordered_map<Id, std::string> files_;
};

}  // namespace worker::loop
