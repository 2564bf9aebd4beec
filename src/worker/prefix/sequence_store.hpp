#pragma once

/// Which tokens are already evaluated, and in which sequence. A sequence is empty, busy (an answer grows it), idle
/// (kept because a later prompt may begin with it) or pinned (kept for good). Pure: it decides and remembers; the
/// caller makes the engine follow.

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "worker/prefix/cell_ledger.hpp"
#include "worker/prefix/prefix_tree.hpp"
#include "worker/prefix/worth.hpp"

namespace worker::prefix {

struct Match {
    std::size_t sequence = 0;
    std::size_t tokens = 0;
};

/// An idle sequence is to be cut to its first `tokens` tokens.
struct Cut {
    std::size_t sequence = 0;
    std::size_t tokens = 0;
};

/// How many tokens two sequences have in common from the start.
std::size_t common_prefix(std::span<const Token> one, std::span<const Token> other);

class SequenceStore {
public:
    /// How many of the first `tokens` of a sequence the engine can reuse.
    using Reusable = std::function<std::size_t(std::size_t sequence, std::size_t tokens)>;
    /// How many of the first tokens of an idle sequence are saved elsewhere, so that losing them costs little.
    using Saved = std::function<std::size_t(std::size_t sequence)>;

    /// Copies share cells in whole blocks of `block` tokens.
    SequenceStore(std::size_t sequences, std::size_t cells, std::size_t block = 1);

    /// The sequence that shares most leading tokens with `tokens`, busy or idle, among those with the same salt and the
    /// pinned ones (unless the salt begins with `apart`). On a tie an idle one wins. Nothing when none shares any.
    std::optional<Match> longest_match(std::span<const Token> tokens, std::string_view salt,
                                       const Reusable& reusable) const;

    /// Whether an answer of `tokens` tokens, and one more, could be held if every idle sequence were given up. `match`
    /// is what it would share, `promised` the cells that busy sequences are still going to take.
    bool could_hold(std::size_t tokens, const std::optional<Match>& match, std::size_t promised) const;

    /// A sequence to use for a new answer: an empty one, else the idle one whose loss costs least, `keep` only if there
    /// is no other. Nothing when all are busy or pinned. The caller clears it, unless it is `keep`.
    std::optional<std::size_t> place(std::optional<std::size_t> keep, const Saved& saved);

    /// The cheapest way to free some cells, at most `cells` and as many as seems sensible where `partial` is possible:
    /// what other sequences share frees nothing and is left alone. Nothing when there is no idle sequence but `keep`.
    std::optional<Cut> cheapest_cut(std::size_t cells, bool partial, const Saved& saved,
                                    std::optional<std::size_t> keep = std::nullopt);

    void take(std::size_t sequence, std::string_view salt);
    void release(std::size_t sequence);
    /// A sequence to be pinned is taken with this salt; it is nobody's own.
    static constexpr std::string_view pinned_salt = "pinned";
    /// A salt that begins so has no use for what is pinned: it was evaluated in another way.
    static constexpr std::string_view apart = "apart:";
    /// A busy sequence becomes pinned.
    void pin(std::size_t sequence);
    void append(std::size_t sequence, std::span<const Token> tokens);
    /// How many cells a copy of so many tokens takes for itself.
    std::size_t taken_by_copy(std::size_t tokens) const { return tokens - ledger_.shared_by_copy(tokens); }
    /// `to`, which must be empty and taken, becomes the first `tokens` tokens of `from`.
    void copy(std::size_t from, std::size_t to, std::size_t tokens);
    void trim(std::size_t sequence, std::size_t tokens);

    std::size_t length(std::size_t sequence) const { return ledger_.length(sequence); }
    /// From where on no other sequence holds its cells.
    std::size_t unshared_from(std::size_t sequence) const { return ledger_.unshared_from(sequence); }
    std::vector<Token> tokens(std::size_t sequence) const { return tree_.tokens(static_cast<Holder>(sequence)); }
    std::string_view salt(std::size_t sequence) const { return entries_[sequence].salt; }
    bool idle(std::size_t sequence) const;
    std::size_t sequences() const { return entries_.size(); }
    std::size_t free_cells() const { return ledger_.free(); }
    std::size_t pinned_cells() const;

    /// What evaluating takes, for what kept tokens are worth.
    Effort& effort() { return effort_; }

private:
    enum class Role { idle, busy, pinned };
    struct Entry {
        std::string salt;
        Role role = Role::idle;
        Use use;
    };

    std::optional<Match> match_in(std::span<const Token> tokens, std::string_view salt, const Reusable& reusable) const;
    double worth(std::size_t sequence, const Saved& saved) const;
    template <typename Predicate>
    std::optional<std::size_t> least_worth(const Predicate& eligible, const Saved& saved) const;
    std::vector<bool> fixed() const;

    std::vector<Entry> entries_;
    PrefixTree tree_;
    CellLedger ledger_;
    Clock clock_;
    Effort effort_;
    std::size_t cells_;
};

}  // namespace worker::prefix
