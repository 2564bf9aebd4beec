#include "worker/engine/llama/grammar/characters.hpp"

namespace worker::engine::llama::grammar {
namespace {

constexpr Characters not_utf8() {
    return {.whole = {}, .rest = {.bits = 0, .missing_bytes = PartOfCharacter::invalid}};
}

// Bytes of a character after its first one; `invalid` for a byte that cannot be the first.
int following_bytes(unsigned char first) {
    if (first < 0x80) {
        return 0;
    }
    if (first < 0xC0) {
        return PartOfCharacter::invalid;
    }
    return first < 0xE0 ? 1 : first < 0xF0 ? 2 : 3;
}

}  // namespace

Characters decode(std::string_view piece, PartOfCharacter before) {
    piece = piece.substr(0, piece.find('\0'));
    Characters characters;
    auto [bits, missing] = before;
    std::size_t next = 0;
    for (; next < piece.size() && missing > 0; ++next, --missing) {
        const auto byte = static_cast<unsigned char>(piece[next]);
        if (byte >> 6U != 2) {
            return not_utf8();
        }
        bits = (bits << 6U) + (byte & 0x3FU);
    }
    if (before.missing_bytes > 0 && missing == 0) {
        characters.whole.push_back(bits);
    }
    while (next < piece.size()) {
        const auto first = static_cast<unsigned char>(piece[next++]);
        missing = following_bytes(first);
        if (missing == PartOfCharacter::invalid) {
            return not_utf8();
        }
        bits = first & ((1U << (7U - static_cast<unsigned>(missing))) - 1U);
        for (; next < piece.size() && missing > 0; ++next, --missing) {
            bits = (bits << 6U) + (static_cast<unsigned char>(piece[next]) & 0x3FU);
        }
        if (missing == 0) {
            characters.whole.push_back(bits);
        }
    }
    if (missing > 0) {
        characters.rest = {.bits = bits, .missing_bytes = missing};
    }
    return characters;
}

CharacterRange possible(PartOfCharacter part) {
    const auto [bits, missing] = part;
    // Not UTF-8, or a 7-bit character that begins as a two-byte one.
    if (missing <= 0 || (missing == 1 && bits < 2)) {
        return {};
    }
    const auto open_bits = 6U * static_cast<unsigned>(missing);
    CharacterRange range{.first = bits << open_bits, .last = (bits << open_bits) | ((1U << open_bits) - 1U)};
    if (range.first == 0 && missing > 1) {
        range.first = missing == 2 ? 1U << 11U : 1U << 16U;
    }
    return range;
}

}  // namespace worker::engine::llama::grammar
