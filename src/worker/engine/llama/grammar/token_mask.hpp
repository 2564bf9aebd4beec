#pragma once

/// A set of tokens of one vocabulary, one bit each.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

namespace worker::engine::llama::grammar {

class TokenMask {
public:
    /// Tokens in one word of the set.
    static constexpr std::size_t word_tokens = 64;

    /// Empty, for the tokens 0 … tokens-1.
    explicit TokenMask(std::size_t tokens) : words_((tokens + word_tokens - 1) / word_tokens) {}

    void add(std::int32_t token) { word_of(token) |= bit_of(token); }
    void remove(std::int32_t token) { word_of(token) &= ~bit_of(token); }
    bool contains(std::int32_t token) const {
        return (words_[static_cast<std::size_t>(token) / word_tokens] & bit_of(token)) != 0;
    }
    std::size_t count() const {
        return std::accumulate(words_.begin(), words_.end(), std::size_t{0}, [](std::size_t sum, std::uint64_t word) {
            return sum + static_cast<std::size_t>(std::popcount(word));
        });
    }
    /// Bit i of word w stands for token w * word_tokens + i.
    std::uint64_t word(std::size_t index) const { return words_[index]; }
    std::size_t bytes() const { return words_.size() * sizeof(std::uint64_t); }

    bool operator==(const TokenMask&) const = default;

private:
    static std::uint64_t bit_of(std::int32_t token) {
        return std::uint64_t{1} << (static_cast<std::size_t>(token) % word_tokens);
    }
    std::uint64_t& word_of(std::int32_t token) { return words_[static_cast<std::size_t>(token) / word_tokens]; }

    std::vector<std::uint64_t> words_;
};

}  // namespace worker::engine::llama::grammar
