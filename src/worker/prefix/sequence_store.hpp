#pragma once

/// Which tokens are already evaluated, and in which sequence. A sequence is empty, busy (an answer grows it) or idle
/// (kept because a later prompt may begin with it). Pure: it decides and remembers; the caller makes the engine follow.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "worker/prefix/cell_ledger.hpp"

namespace worker::prefix {

using Token = std::int32_t;

struct Match {
    std::size_t sequence = 0;
    std::size_t tokens = 0;
};

/// How many tokens two sequences have in common from the start.
std::size_t common_prefix(std::span<const Token> one, std::span<const Token> other);

class SequenceStore {
public:
    /// How many of the first `tokens` of a sequence the engine can reuse.
    using Reusable = std::function<std::size_t(std::size_t sequence, std::size_t tokens)>;

    SequenceStore(std::size_t sequences, std::size_t cells);

    /// The sequence that shares most leading tokens with `tokens`, busy or idle, among those with the same salt. On a
    /// tie an idle one wins. Nothing when none shares any.
    std::optional<Match> longest_match(std::span<const Token> tokens, std::string_view salt,
                                       const Reusable& reusable) const;

    /// Whether an answer of `tokens` tokens, and one more, could be held if every idle sequence were given up. `match`
    /// is what it would share, `promised` the cells that busy sequences are still going to take.
    bool could_hold(std::size_t tokens, const std::optional<Match>& match, std::size_t promised) const;

    /// A sequence to use for a new answer: an empty one, else the idle one used longest ago, `keep` only if there is no
    /// other. Nothing when all are busy. The caller clears it, unless it is `keep`.
    std::optional<std::size_t> place(std::optional<std::size_t> keep) const;

    /// The idle sequence used longest ago, to be cleared for its cells.
    std::optional<std::size_t> oldest_idle() const;

    void take(std::size_t sequence, std::string_view salt);
    void release(std::size_t sequence);
    void append(std::size_t sequence, std::span<const Token> tokens);
    void copy(std::size_t from, std::size_t to, std::size_t tokens);
    void trim(std::size_t sequence, std::size_t tokens);

    std::span<const Token> tokens(std::size_t sequence) const { return entries_[sequence].tokens; }
    std::size_t free_cells() const { return ledger_.free(); }

private:
    struct Entry {
        std::vector<Token> tokens;
        std::string salt;
        bool busy = false;
        std::uint64_t used = 0;
    };

    std::vector<bool> busy() const;

    std::vector<Entry> entries_;
    CellLedger ledger_;
    std::size_t cells_;
    std::uint64_t uses_ = 0;
};

}  // namespace worker::prefix
