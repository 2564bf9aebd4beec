#pragma once

/// Saved parts of sequences outside the engine's cells: in host memory, and in files if there is a folder for them, each
/// bounded. What is here stays here when it is put back into cells: a sequence that grew and is given up again adds only
/// its new part. Everything is written to files as it comes, by another thread, so that what memory then gives up, and
/// a restart, costs nothing more. Files are read by a third one: who needs them asks, and comes back later.

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "worker/engine/engine.hpp"
#include "worker/prefix/saved_states.hpp"
#include "worker/spill/state_folder.hpp"
#include "worker/spill/state_reader.hpp"

namespace worker::loop {

class Archive {
public:
    struct Limits {
        std::size_t memory_bytes = 0;
        std::size_t disk_bytes = 0;
        /// May be null. For one loop.
        std::shared_ptr<spill::StateFolder> folder;
        /// Called by another thread when a file was read that `fetch` asked for; may be empty.
        std::function<void()> on_read;
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
    /// Begins to read the files of what `cover` tells. True when all of it can be used now.
    bool fetch(std::span<const engine::Token> tokens, std::string_view salt, std::size_t have);
    /// Lets go of what `fetch` has not been asked for again since the last call.
    void forget_unwanted();
    /// Whether files are being read, or were read and not used yet.
    bool fetching() const { return !fetched_.empty(); }
    /// Null when it is in a file that was not fetched. What was fetched can be used once.
    Loaded use(Id state);
    /// It turned out not to be what it should.
    void discard(Id state);

    prefix::Effort& effort() { return states_.effort(); }
    std::size_t bytes(prefix::Tier tier) const { return states_.bytes(tier); }
    const Limits& limits() const { return limits_; }

private:
    std::string key_of(std::string_view salt) const;
    void take_found();
    bool fetch(Id state);
    void forget(Id state);
    void drop(Id state, prefix::Tier tier);
    void make_room(prefix::Tier tier);

    Limits limits_;
    prefix::SavedStates states_;
    std::unordered_map<Id, SharedState> in_memory_;
    std::unordered_map<Id, std::string> files_;

    struct Fetched {
        SharedState state;  // null while it is being read
        bool wanted = false;
    };
    std::unordered_map<Id, Fetched> fetched_;
    std::unique_ptr<spill::StateReader> reader_;
};

}  // namespace worker::loop
