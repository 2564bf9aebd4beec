#include "worker/loop/utf8_gate.hpp"

#include <cstddef>

namespace worker::loop {
namespace {

constexpr std::string_view replacement = "\xEF\xBF\xBD";

enum class Sequence { whole, unfinished, wrong };

struct Character {
    Sequence kind = Sequence::wrong;
    std::size_t length = 1;
};

bool between(char byte, unsigned low, unsigned high) {
    const auto value = static_cast<unsigned char>(byte);
    return value >= low && value <= high;
}

// Table 3-7 of the Unicode standard: the second byte's range depends on the first (no surrogates, no overlong forms).
Character first_character(std::string_view text) {
    const char lead = text.front();
    std::size_t length = 0;
    unsigned low = 0x80;
    unsigned high = 0xBF;
    if (between(lead, 0x00, 0x7F)) {
        return {.kind = Sequence::whole, .length = 1};
    }
    if (between(lead, 0xC2, 0xDF)) {
        length = 2;
    } else if (between(lead, 0xE0, 0xEF)) {
        length = 3;
        low = lead == '\xE0' ? 0xA0 : low;
        high = lead == '\xED' ? 0x9F : high;
    } else if (between(lead, 0xF0, 0xF4)) {
        length = 4;
        low = lead == '\xF0' ? 0x90 : low;
        high = lead == '\xF4' ? 0x8F : high;
    } else {
        return {};
    }
    for (std::size_t index = 1; index < length; ++index) {
        if (index == text.size()) {
            return {.kind = Sequence::unfinished, .length = index};
        }
        if (!between(text[index], index == 1 ? low : 0x80, index == 1 ? high : 0xBF)) {
            return {.kind = Sequence::wrong, .length = index};
        }
    }
    return {.kind = Sequence::whole, .length = length};
}

}  // namespace

std::string Utf8Gate::push(std::string_view bytes) {
    held_ += bytes;
    std::string out;
    std::string_view rest = held_;
    while (!rest.empty()) {
        const Character character = first_character(rest);
        if (character.kind == Sequence::unfinished) {
            break;
        }
        out += character.kind == Sequence::whole ? rest.substr(0, character.length) : replacement;
        rest.remove_prefix(character.length);
    }
    held_ = std::string(rest);
    return out;
}

std::string Utf8Gate::finish() {
    const bool unfinished = !held_.empty();
    held_.clear();
    return unfinished ? std::string(replacement) : std::string();
}

}  // namespace worker::loop
