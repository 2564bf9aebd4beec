#include "base/utf8.hpp"

namespace base {

std::size_t character_length(std::string_view text) {
    if (text.empty()) {
        return 0;
    }
    const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(text[at]); };
    const unsigned char lead = byte(0);
    const std::size_t length = lead < 0x80                   ? 1
                               : lead >= 0xc2 && lead < 0xe0 ? 2
                               : lead >= 0xe0 && lead < 0xf0 ? 3
                               : lead >= 0xf0 && lead < 0xf5 ? 4
                                                             : 0;
    if (length > text.size()) {
        return 0;
    }
    for (std::size_t next = 1; next < length; ++next) {
        if ((byte(next) & 0xc0) != 0x80) {
            return 0;
        }
    }
    if (length < 3) {
        return length;
    }
    const unsigned char second = byte(1);
    const bool overlong = (lead == 0xe0 && second < 0xa0) || (lead == 0xf0 && second < 0x90);
    const bool surrogate = lead == 0xed && second > 0x9f;
    const bool beyond = lead == 0xf4 && second > 0x8f;
    return overlong || surrogate || beyond ? 0 : length;
}

std::string valid_utf8(std::string_view text) {
    std::string clean;
    clean.reserve(text.size());
    while (!text.empty()) {
        const std::size_t length = character_length(text);
        clean += length == 0 ? "\xef\xbf\xbd" : text.substr(0, length);
        text.remove_prefix(length == 0 ? 1 : length);
    }
    return clean;
}

void append_utf8(std::string& text, char32_t character) {
    const auto add = [&text](char32_t byte) { text.push_back(static_cast<char>(static_cast<unsigned char>(byte))); };
    const auto add_rest = [&](unsigned shift) { add(0x80U | (character >> shift & 0x3FU)); };
    if (character < 0x80) {
        add(character);
    } else if (character < 0x800) {
        add(0xC0U | character >> 6U);
        add_rest(0);
    } else if (character < 0x10000) {
        add(0xE0U | character >> 12U);
        add_rest(6);
        add_rest(0);
    } else {
        add(0xF0U | character >> 18U);
        add_rest(12);
        add_rest(6);
        add_rest(0);
    }
}

}  // namespace base
