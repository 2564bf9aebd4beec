#pragma once

/// The engine's memory together with the books about it: what one does, the other follows. What must leave the cells is
/// saved in an archive first, and comes back from there when a prompt begins with it.

#include <optional>
#include <span>
#include <string_view>

#include "worker/engine/engine.hpp"
#include "worker/loop/archive.hpp"
#include "worker/prefix/sequence_store.hpp"

namespace worker::loop {

class Memory {
public:
    struct Place {
        engine::Sequence sequence = 0;
        /// Leading tokens that are evaluated already; less than all.
        std::size_t cached = 0;
        /// Of `cached`, those that came out of the archive.
        std::size_t restored = 0;
        /// Of `restored`, those that were in files.
        std::size_t from_disk = 0;
        /// Further tokens that a sequence in memory has in common with this prompt, where the engine cannot share a part
        /// of a sequence. To save the state at their end is worth while: others may begin in the same way.
        std::size_t unshareable = 0;
    };

    Memory(engine::TextEngine& engine, const Archive::Limits& limits);

    /// A sequence for an answer that consists of `tokens` so far, with as much of them evaluated as can be reused.
    /// Nothing when cells or sequences do not suffice; `promised` cells are kept for others.
    std::optional<Place> acquire(std::span<const engine::Token> tokens, std::string_view salt, std::size_t promised);
    /// True when `acquire` finds all there is of a prompt. False while files are being read that it could use; they are
    /// from then on.
    bool fetch(std::span<const engine::Token> tokens, std::string_view salt);
    /// What was read for prompts for which `fetch` was not asked again since the last call goes.
    void forget_unwanted() { archive_.forget_unwanted(); }
    bool fetching() const { return archive_.fetching(); }
    /// How many leading tokens of a prompt are in cells.
    std::size_t cached(std::span<const engine::Token> tokens, std::string_view salt) const;
    /// The same for tokens to be kept for good.
    bool fetch_to_pin(std::span<const engine::Token> tokens) {
        return fetch(tokens, prefix::SequenceStore::pinned_salt);
    }
    std::optional<Place> acquire_to_pin(std::span<const engine::Token> tokens);
    void pin(engine::Sequence sequence);
    /// Where sequences can be kept only whole: saves one as it is now, for prompts that go on differently from here.
    void checkpoint(engine::Sequence sequence);
    bool takes_checkpoints() const;
    /// The sequence is kept for later prompts until its cells are needed.
    void release(engine::Sequence sequence);

    /// Gives up parts of idle sequences, the cheapest first, until `cells` are free. False when there are not so many.
    bool make_room(std::size_t cells);
    /// The engine has evaluated these.
    void append(engine::Sequence sequence, std::span<const engine::Token> tokens);
    /// Goes back to `tokens` after a decode that did not finish; how many are left (fewer when the engine cannot go
    /// back).
    std::size_t roll_back(engine::Sequence sequence, std::size_t tokens);

    /// What was learnt about evaluating; see Effort.
    void tell_depth_of_double_cost(double tokens) {
        store_.effort().tell(tokens);
        archive_.effort().tell(tokens);
    }

    /// Saves everything, if there are files to find it in.
    void save_for_next_start();
    /// What `statistics` tells of memory.
    void describe(engine::contract::StatisticsReply& reply) const;

private:
    std::optional<prefix::Match> match(std::span<const engine::Token> tokens, std::string_view salt) const;
    prefix::SequenceStore::Saved saved() const;
    void give_up(std::size_t sequence, std::size_t tokens);
    void save(std::size_t sequence, std::size_t tokens);
    bool make_room(std::size_t cells, std::optional<std::size_t> keep);

    struct Restored {
        std::size_t length = 0;  // of the sequence now
        std::size_t tokens = 0;
        std::size_t from_disk = 0;
    };
    Restored restore(std::size_t sequence, std::span<const engine::Token> prompt, std::string_view salt,
                     std::size_t have);
    std::size_t go_back(std::size_t sequence, std::size_t length, std::size_t begins);

    struct Counters {
        std::uint64_t tokens_evicted = 0;
        std::uint64_t bytes_saved = 0;
        std::uint64_t bytes_restored = 0;
        std::uint64_t checkpoints_saved = 0;
        std::uint64_t checkpoints_restored = 0;
    };

    engine::TextEngine& engine_;
    prefix::SequenceStore store_;
    Archive archive_;
    Counters counters_;
};

}  // namespace worker::loop
