#include "worker/engine/llama/schema/code_points.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace worker::engine::llama::schema {
namespace {

constexpr char32_t last_character = 0x10FFFF;
constexpr char32_t replacement = 0xFFFD;
constexpr Span surrogates{.first = 0xD800, .last = 0xDFFF};

bool is_character(char32_t value) {
    return value < surrogates.first || (surrogates.last < value && value <= last_character);
}

std::vector<Span> without_surrogates(const std::vector<Span>& spans) {
    std::vector<Span> kept;
    for (const Span& span : spans) {
        if (span.first < surrogates.first) {
            kept.push_back({span.first, std::min<char32_t>(span.last, surrogates.first - 1)});
        }
        if (span.last > surrogates.last) {
            kept.push_back({std::max<char32_t>(span.first, surrogates.last + 1), std::min(span.last, last_character)});
        }
    }
    return kept;
}

}  // namespace

CodePoints::CodePoints(std::vector<Span> spans) {
    spans = without_surrogates(spans);
    std::ranges::sort(spans);
    for (const Span& span : spans) {
        if (span.first > span.last) {
            continue;
        }
        if (!spans_.empty() && span.first <= spans_.back().last + 1) {
            spans_.back().last = std::max(spans_.back().last, span.last);
        } else {
            spans_.push_back(span);
        }
    }
}

CodePoints CodePoints::all() {
    return CodePoints({{0, last_character}});
}

bool CodePoints::contains(char32_t character) const {
    const auto behind = std::ranges::upper_bound(spans_, character, {}, &Span::first);
    return behind != spans_.begin() && character <= (behind - 1)->last;
}

CodePoints CodePoints::united(const CodePoints& other) const {
    auto spans = spans_;
    spans.insert(spans.end(), other.spans_.begin(), other.spans_.end());
    return CodePoints(std::move(spans));
}

CodePoints CodePoints::others() const {
    std::vector<Span> between;
    char32_t next = 0;
    for (const Span& span : spans_) {
        if (span.first > next) {
            between.push_back({next, span.first - 1});
        }
        next = span.last + 1;
    }
    if (next <= last_character) {
        between.push_back({next, last_character});
    }
    return CodePoints(std::move(between));
}

std::u32string characters_of(std::string_view utf8) {
    std::u32string characters;
    for (std::size_t position = 0; position < utf8.size();) {
        const auto byte = [&](std::size_t ahead) -> char32_t {
            return position + ahead < utf8.size() ? static_cast<unsigned char>(utf8[position + ahead]) : 0U;
        };
        const char32_t lead = byte(0);
        const std::size_t length = lead < 0x80 ? 1 : lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC0 ? 2 : 0;
        char32_t character = length == 1 ? lead : length == 2 ? lead & 0x1FU : length == 3 ? lead & 0xFU : lead & 0x7U;
        bool valid = length > 0;
        for (std::size_t ahead = 1; valid && ahead < length; ++ahead) {
            valid = (byte(ahead) & 0xC0U) == 0x80U;
            character = character << 6U | (byte(ahead) & 0x3FU);
        }
        characters.push_back(valid && is_character(character) ? character : replacement);
        position += valid ? length : 1;
    }
    return characters;
}

}  // namespace worker::engine::llama::schema
