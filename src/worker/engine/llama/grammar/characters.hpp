#pragma once

/// Tokens as characters. A character may be split over tokens; the grammar sees it when it is whole.

#include <cstdint>
#include <string_view>
#include <vector>

namespace worker::engine::llama::grammar {

/// The first bytes of a character whose others are still to come.
struct PartOfCharacter {
    static constexpr int invalid = -1;

    std::uint32_t bits = 0;
    int missing_bytes = 0;  ///< 0: there is none; `invalid`: the bytes were not UTF-8

    bool operator==(const PartOfCharacter&) const = default;
    auto operator<=>(const PartOfCharacter&) const = default;
};

struct Characters {
    std::vector<std::uint32_t> whole;
    PartOfCharacter rest;
};

/// Decodes as llama.cpp's grammars do: up to a NUL byte, and inside one piece without a look at what a continuation byte
/// looks like.
Characters decode(std::string_view piece, PartOfCharacter before);

/// The code points that a character may have whose first bytes are these; empty (first > last) when there is none.
struct CharacterRange {
    std::uint32_t first = 1;
    std::uint32_t last = 0;
};
CharacterRange possible(PartOfCharacter part);

}  // namespace worker::engine::llama::grammar
