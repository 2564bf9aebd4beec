#pragma once

/// Counts the cells of the engine's pool: which sequences hold how many, and how many they share. The engine does not
/// tell, but it follows simple rules: each evaluated token takes a cell, a copied prefix shares the cells of its
/// source in whole blocks, a cell is free when its last holder lets go. Pure bookkeeping.

#include <cstddef>
#include <cstdint>
#include <vector>

namespace worker::prefix {

class CellLedger {
public:
    CellLedger(std::size_t sequences, std::size_t cells, std::size_t block = 1);

    std::size_t free() const { return free_; }
    std::size_t length(std::size_t sequence) const { return held_[sequence].size(); }

    /// The sequence evaluates `count` more tokens. Needs as many free cells.
    void append(std::size_t sequence, std::size_t count);
    /// How many cells a copy of so many tokens shares with its source; it takes the others.
    std::size_t shared_by_copy(std::size_t tokens) const { return tokens - tokens % block_; }
    /// `to`, which must be empty, becomes the first `tokens` of `from`.
    void copy(std::size_t from, std::size_t to, std::size_t tokens);
    void trim(std::size_t sequence, std::size_t tokens);

    /// From which of its cells on a sequence is the only holder. What is shared comes before: copies are of beginnings.
    std::size_t unshared_from(std::size_t sequence) const;

    /// Distinct cells held by the sequences for which `chosen` is true.
    std::size_t held_by(const std::vector<bool>& chosen) const;
    /// How many of the first `tokens` cells of `sequence` are also held by one of `chosen`.
    std::size_t shared_with(std::size_t sequence, std::size_t tokens, const std::vector<bool>& chosen) const;

private:
    std::vector<bool> marked(const std::vector<bool>& chosen) const;

    std::vector<std::vector<std::uint32_t>> held_;
    std::vector<std::uint16_t> holders_;
    std::vector<std::uint32_t> free_list_;
    std::size_t free_;
    std::size_t block_;
};

}  // namespace worker::prefix
