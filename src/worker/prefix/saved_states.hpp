#pragma once

/// Which parts of which token sequences have been saved outside the engine's memory, and which of them are to go when
/// there is no room. A state is the stretch from … to of one sequence; several of them, one behind the other, can make
/// up a prompt. Pure bookkeeping: where the bytes are is the caller's business.

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "worker/prefix/prefix_tree.hpp"
#include "worker/prefix/worth.hpp"

namespace worker::prefix {

enum class Tier : std::size_t { memory, disk };

class SavedStates {
public:
    using Id = Holder;

    /// Tokens [from, to) of a prompt, out of a state that may hold more.
    struct Piece {
        Id state = 0;
        std::size_t from = 0;
        std::size_t to = 0;
    };

    /// Not divisible: a state can be put back only whole, and only at the start of a sequence.
    explicit SavedStates(bool divisible) : divisible_(divisible) {}

    /// The states that continue a prompt, of which `have` tokens are there, as far as possible; in order, each beginning
    /// where the one before ends. Not divisible: one state that begins at 0, when it reaches beyond `have`.
    std::vector<Piece> cover(std::span<const Token> tokens, std::string_view salt, std::size_t have) const;
    /// How far that goes; at least `have`.
    std::size_t covered(std::span<const Token> tokens, std::string_view salt, std::size_t have) const;

    /// A new state: what follows the first `from` of `tokens`. Nothing is stored of it yet.
    Id add(std::span<const Token> tokens, std::string_view salt, std::size_t from);
    /// Its bytes are there now, in addition to other tiers.
    void store(Id state, Tier tier, std::size_t bytes);
    /// Its bytes are there no longer. A state that is nowhere is gone.
    void drop(Id state, Tier tier);
    void use(Id state) { entries_[state].use.again(clock_); }

    /// What the tier loses least by giving up. A state that others build upon comes after them.
    std::optional<Id> next_to_go(Tier tier);
    /// States that `state` contains, stored in the tiers that it is stored in: they are no longer needed.
    std::vector<Id> superseded_by(Id state) const;

    bool stored(Id state, Tier tier) const { return entries_[state].bytes[index(tier)] > 0; }
    std::size_t from(Id state) const { return entries_[state].from; }
    std::size_t to(Id state) const { return tree_.length(state); }
    /// Of all states in a tier.
    std::size_t bytes(Tier tier) const { return bytes_[index(tier)]; }
    std::size_t count(Tier tier) const;

    /// What evaluating takes, for what states are worth.
    Effort& effort() { return effort_; }

private:
    struct Entry {
        std::size_t from = 0;
        std::array<std::size_t, 2> bytes = {};
        Use use;
    };

    static std::size_t index(Tier tier) { return static_cast<std::size_t>(tier); }
    bool alive(Id state) const { return tree_.length(state) > 0; }
    bool has_dependents(Id state) const;
    double worth(Id state, Tier tier) const;

    bool divisible_;
    PrefixTree tree_;
    std::vector<Entry> entries_;
    std::vector<Id> unused_;
    std::array<std::size_t, 2> bytes_ = {};
    Clock clock_;
    Effort effort_;
};

}  // namespace worker::prefix
