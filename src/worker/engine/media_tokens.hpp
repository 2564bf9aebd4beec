#pragma once

/// Pictures and sound in a prompt are runs of tokens that no text has: negative numbers made of a digest of what they show,
/// so that prompts that show the same begin with the same tokens. The first token of each run says that it is one.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "worker/engine/engine.hpp"

namespace worker::engine {

/// SHA-256 of what a piece shows.
using MediaDigest = std::array<std::uint8_t, 32>;

/// -1 stands for no token, here and elsewhere.
constexpr bool is_media(Token token) {
    return token < -1;
}

constexpr bool begins_media(Token token) {
    return is_media(token) && (static_cast<std::uint32_t>(token) & (1U << 30)) != 0;
}

/// The run of `count` tokens for a piece. Each holds 30 bits of the digest, all of which are in the first nine.
inline std::vector<Token> media_tokens(const MediaDigest& digest, std::size_t count) {
    constexpr std::uint32_t value_bits = (1U << 30) - 1;
    constexpr std::uint32_t media = 1U << 31;
    std::vector<Token> tokens(count);
    for (std::size_t index = 0; index < count; ++index) {
        std::uint32_t value = 0;
        for (std::size_t bit = 0; bit < 30; ++bit) {
            const std::size_t place = (30 * index + bit) % (8 * digest.size());
            value |= ((static_cast<std::uint32_t>(digest[place / 8]) >> (place % 8)) & 1U) << bit;
        }
        const bool first = index == 0;
        value = first && value == value_bits ? value - 1 : value;  // would be -1
        tokens[index] = static_cast<Token>(media | (first ? 1U << 30 : 0U) | value);
    }
    return tokens;
}

/// At most `count`, so that the first tokens of a prompt hold no part of a piece without its rest.
constexpr std::size_t without_part_of_media(std::span<const Token> tokens, std::size_t count) {
    while (count > 0 && count < tokens.size() && is_media(tokens[count]) && !begins_media(tokens[count])) {
        --count;
    }
    return count;
}

inline bool has_media(std::span<const Token> tokens) {
    return std::ranges::any_of(tokens, is_media);
}

}  // namespace worker::engine
