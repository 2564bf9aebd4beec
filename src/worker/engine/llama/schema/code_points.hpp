#pragma once

/// Sets of Unicode characters, and texts as sequences of them.

#include <string>
#include <string_view>
#include <vector>

namespace worker::engine::llama::schema {

/// Inclusive at both ends.
struct Span {
    char32_t first = 0;
    char32_t last = 0;

    auto operator<=>(const Span&) const = default;
};

/// Ordered, apart, and without surrogates: none of those is a character.
class CodePoints {
public:
    CodePoints() = default;
    explicit CodePoints(std::vector<Span> spans);
    static CodePoints all();

    const std::vector<Span>& spans() const { return spans_; }
    bool empty() const { return spans_.empty(); }
    bool contains(char32_t character) const;

    CodePoints united(const CodePoints& other) const;
    CodePoints others() const;
    CodePoints shared(const CodePoints& other) const { return others().united(other.others()).others(); }

    auto operator<=>(const CodePoints&) const = default;

private:
    std::vector<Span> spans_;
};

/// What is no UTF-8 becomes U+FFFD.
std::u32string characters_of(std::string_view utf8);

}  // namespace worker::engine::llama::schema
