#include "worker/engine/llama/schema/pattern_tree.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "base/utf8.hpp"
#include "worker/engine/llama/schema/expression.hpp"

namespace worker::engine::llama::schema {
namespace {

using Tree = PatternTree;
using Kind = PatternTree::Kind;
using base::ErrorCode;
using base::fail;

constexpr std::size_t longest_pattern = 4096;
constexpr int deepest_nesting = 100;
constexpr std::uint32_t most_repetitions = 100'000;

const CodePoints digits({{'0', '9'}});
const CodePoints word_characters({{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}});
const CodePoints white_space({{'\t', '\r'},
                              {' ', ' '},
                              {0xA0, 0xA0},
                              {0x1680, 0x1680},
                              {0x2000, 0x200A},
                              {0x2028, 0x2029},
                              {0x202F, 0x202F},
                              {0x205F, 0x205F},
                              {0x3000, 0x3000},
                              {0xFEFF, 0xFEFF}});
const CodePoints line_ends({{'\n', '\n'}, {'\r', '\r'}, {0x2028, 0x2029}});

CodePoints only(char32_t character) {
    return CodePoints({{character, character}});
}

std::optional<CodePoints> class_of(char32_t letter) {
    switch (letter) {
        case 'd': return digits;
        case 'D': return digits.others();
        case 'w': return word_characters;
        case 'W': return word_characters.others();
        case 's': return white_space;
        case 'S': return white_space.others();
        default: return std::nullopt;
    }
}

bool is_in(std::u32string_view letters, char32_t letter) {
    return letters.find(letter) != std::u32string_view::npos;
}

std::optional<std::uint32_t> hex_value(char32_t letter) {
    if (letter >= '0' && letter <= '9') {
        return letter - '0';
    }
    const char32_t lower = letter | 0x20U;
    return lower >= 'a' && lower <= 'f' ? std::optional<std::uint32_t>(lower - 'a' + 10) : std::nullopt;
}

class Reader {
public:
    explicit Reader(std::u32string text) : text_(std::move(text)) {}

    base::Result<Tree> read() {
        Tree tree = choice();
        if (!fault_ && at_ < text_.size()) {
            refuse(ErrorCode::invalid, "a parenthesis too many");
        }
        if (fault_) {
            return std::unexpected(*fault_);
        }
        return tree;
    }

private:
    void refuse(ErrorCode code, std::string complaint) {
        if (!fault_) {
            fault_ = base::Error{.code = code, .message = std::move(complaint), .param = {}, .retry_after = {}};
        }
        at_ = text_.size();
    }

    bool done() const { return at_ >= text_.size(); }
    char32_t peek(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : 0; }
    bool take(std::u32string_view expected) {
        const bool found = std::u32string_view(text_).substr(std::min(at_, text_.size())).starts_with(expected);
        at_ += found ? expected.size() : 0;
        return found;
    }

    Tree choice() {
        Tree tree{.kind = Kind::choice, .set = {}, .children = {}};
        do {
            tree.children.push_back(sequence());
        } while (take(U"|"));
        return tree.children.size() == 1 ? std::move(tree.children.front()) : tree;
    }

    Tree sequence() {
        Tree tree{.kind = Kind::sequence, .set = {}, .children = {}};
        while (!done() && peek() != '|' && peek() != ')') {
            tree.children.push_back(quantified(atom()));
        }
        return tree;
    }

    Tree atom() {
        switch (const char32_t letter = text_[at_++]) {
            case '^': return {.kind = Kind::begin, .set = {}, .children = {}};
            case '$': return {.kind = Kind::end, .set = {}, .children = {}};
            case '.': return of(line_ends.others());
            case '(': return group();
            case '[': return of(character_class());
            case '\\': return of(escape(false));
            case '*':
            case '+':
            case '?': refuse(ErrorCode::invalid, "there is nothing to repeat"); return {};
            case '{':
                if (--at_; counts()) {
                    refuse(ErrorCode::invalid, "there is nothing to repeat");
                    return {};
                }
                ++at_;
                return of(only('{'));
            default: return of(only(letter));
        }
    }

    static Tree of(CodePoints set) { return {.kind = Kind::characters, .set = std::move(set), .children = {}}; }

    Tree group() {
        Kind kind = Kind::sequence;
        if (take(U"?:")) {
        } else if (take(U"?=")) {
            kind = Kind::ahead;
        } else if (take(U"?!")) {
            kind = Kind::not_ahead;
        } else if (take(U"?<=") || take(U"?<!")) {
            refuse(ErrorCode::unsupported, "looking behind cannot be enforced");
        } else if (take(U"?<") || take(U"?P<")) {
            while (!done() && !take(U">")) {
                ++at_;
            }
        } else if (peek() == '?') {
            refuse(ErrorCode::unsupported, "groups of this kind cannot be enforced");
        }
        if (++depth_ > deepest_nesting) {
            refuse(ErrorCode::unsupported, "it is nested too deep");
        }
        Tree inside = choice();
        --depth_;
        if (!take(U")")) {
            refuse(ErrorCode::invalid, "a parenthesis is not closed");
        }
        if (kind == Kind::sequence) {
            return inside;
        }
        Tree look{.kind = kind, .set = {}, .children = {}};
        look.children.push_back(std::move(inside));
        return look;
    }

    std::optional<std::uint32_t> number() {
        std::uint32_t value = 0;
        const auto begin = at_;
        while (peek() >= '0' && peek() <= '9') {
            value = std::min(value * 10 + (peek() - '0'), most_repetitions + 1);
            ++at_;
        }
        return at_ > begin ? std::optional(value) : std::nullopt;
    }

    // {2}, {2,} or {2,5}; a brace that begins nothing of the kind stands for itself.
    std::optional<std::pair<std::uint32_t, std::uint32_t>> counts() {
        const auto begin = at_;
        ++at_;
        if (const auto least = number()) {
            auto most = least;
            if (take(U",")) {
                most = peek() == '}' ? std::optional(Expressions::no_limit) : number();
            }
            if (most && take(U"}")) {
                return std::pair{*least, *most};
            }
        }
        at_ = begin;
        return std::nullopt;
    }

    Tree quantified(Tree tree) {
        if (done()) {
            return tree;
        }
        std::optional<std::pair<std::uint32_t, std::uint32_t>> range;
        switch (peek()) {
            case '*': range = {0, Expressions::no_limit}; break;
            case '+': range = {1, Expressions::no_limit}; break;
            case '?': range = {0, 1}; break;
            case '{':
                range = counts();
                --at_;  // onto the closing brace, or before a brace that is none
                if (!range) {
                    ++at_;
                }
                break;
            default: break;
        }
        if (!range) {
            return tree;
        }
        ++at_;
        take(U"?");  // lazy: the same texts
        if (is_in(U"*+?", peek()) && !done()) {
            refuse(ErrorCode::invalid, "a repetition is repeated");
        }
        if (range->first > range->second) {
            refuse(ErrorCode::invalid, "a repetition has a maximum below its minimum");
        }
        if (range->first > most_repetitions ||
            (range->second > most_repetitions && range->second != Expressions::no_limit)) {
            refuse(ErrorCode::unsupported, "it repeats too often");
        }
        if (tree.kind == Kind::begin || tree.kind == Kind::end) {
            refuse(ErrorCode::invalid, "there is nothing to repeat");
        }
        Tree repetition{
            .kind = Kind::repeated, .set = {}, .children = {}, .least = range->first, .most = range->second};
        repetition.children.push_back(std::move(tree));
        return repetition;
    }

    std::optional<char32_t> hex(std::size_t length) {
        char32_t value = 0;
        for (std::size_t ahead = 0; ahead < length; ++ahead) {
            const auto digit = hex_value(peek(ahead));
            if (!digit) {
                return std::nullopt;
            }
            value = value * 16 + *digit;
        }
        at_ += length;
        return value;
    }

    // After `\u`.
    CodePoints unicode() {
        if (take(U"{")) {
            char32_t value = 0;
            std::size_t length = 0;
            for (; hex_value(peek()) && length < 6; ++length, ++at_) {
                value = value * 16 + *hex_value(peek());
            }
            if (length == 0 || !take(U"}")) {
                refuse(ErrorCode::invalid, "an escape is not closed");
            }
            return only(value);
        }
        const auto first = hex(4);
        if (!first) {
            return only('u');
        }
        const bool leads = *first >= 0xD800 && *first < 0xDC00;
        if (const auto before = at_; leads && take(U"\\u")) {
            if (const auto second = hex(4); second && *second >= 0xDC00 && *second < 0xE000) {
                return only(0x10000 + ((*first - 0xD800) << 10U) + (*second - 0xDC00));
            }
            at_ = before;
        }
        return only(*first);
    }

    // After the backslash.
    CodePoints escape(bool in_class) {
        if (done()) {
            refuse(ErrorCode::invalid, "it ends with a backslash");
            return {};
        }
        const char32_t letter = text_[at_++];
        if (auto known = class_of(letter)) {
            return *known;
        }
        switch (letter) {
            case 't': return only('\t');
            case 'n': return only('\n');
            case 'v': return only('\v');
            case 'f': return only('\f');
            case 'r': return only('\r');
            case 'x': {
                const auto value = hex(2);
                return only(value.value_or('x'));
            }
            case 'u': return unicode();
            case 'c':
                if (const char32_t control = peek() | 0x20U; control >= 'a' && control <= 'z') {
                    ++at_;
                    return only(control & 0x1FU);
                }
                refuse(ErrorCode::invalid, "a control character has no letter");
                return {};
            case '0':
                if (peek() < '0' || peek() > '9') {
                    return only(0);
                }
                break;
            case 'b':
                if (in_class) {
                    return only('\b');
                }
                break;
            default: break;
        }
        const bool ascii_letter = (letter | 0x20U) >= 'a' && (letter | 0x20U) <= 'z';
        if (ascii_letter || (letter >= '0' && letter <= '9')) {
            std::string name = "\\";
            base::append_utf8(name, letter);
            refuse(ErrorCode::unsupported, fmt::format("{} cannot be enforced", name));
        }
        return only(letter);
    }

    // One item of a class: a set, and whether it is a single character.
    std::pair<CodePoints, bool> item() {
        if (const char32_t letter = text_[at_++]; letter != '\\') {
            return {only(letter), true};
        }
        const bool is_class = class_of(peek()).has_value();
        return {escape(true), !is_class};
    }

    CodePoints character_class() {
        const bool others = take(U"^");
        CodePoints set;
        while (!done() && peek() != ']') {
            const auto [first, first_is_one] = item();
            const bool is_range = peek() == '-' && at_ + 1 < text_.size() && peek(1) != ']';
            if (!is_range || fault_) {
                set = set.united(first);
                continue;
            }
            ++at_;
            const auto [last, last_is_one] = item();
            if (!first_is_one || !last_is_one) {
                set = set.united(first).united(last).united(only('-'));
                continue;
            }
            if (first.empty() || last.empty()) {
                continue;  // half of a surrogate pair: no character
            }
            const char32_t low = first.spans().front().first;
            const char32_t high = last.spans().front().first;
            if (low > high) {
                refuse(ErrorCode::invalid, "the range of a class ends before it begins");
                return {};
            }
            set = set.united(CodePoints({{low, high}}));
        }
        if (!take(U"]")) {
            refuse(ErrorCode::invalid, "a class is not closed");
        }
        return others ? set.others() : set;
    }

    std::u32string text_;
    std::size_t at_ = 0;
    int depth_ = 0;
    std::optional<base::Error> fault_;
};

}  // namespace

base::Result<PatternTree> pattern_tree(std::string_view pattern) {
    if (pattern.size() > longest_pattern) {
        return fail(ErrorCode::unsupported, "it is too long");
    }
    return Reader(characters_of(pattern)).read();
}

}  // namespace worker::engine::llama::schema
