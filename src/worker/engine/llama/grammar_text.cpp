#include "worker/engine/llama/grammar_text.hpp"

#include <json-schema-to-grammar.h>

#include <algorithm>
#include <cctype>

namespace worker::engine::llama {
namespace {

// Where the rule `name` begins, or npos.
std::size_t find_rule(std::string_view grammar, std::string_view name) {
    const std::string head = std::string(name) + " ::= ";
    auto found = grammar.find(head);
    while (found != std::string_view::npos && found > 0 && grammar[found - 1] != '\n') {
        found = grammar.find(head, found + 1);
    }
    return found;
}

bool is_name_character(char letter) {
    return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '-' || letter == '_';
}

// Behind what begins at `begin` and ends with `end`, of which a backslash may hide one.
std::size_t behind(std::string_view grammar, std::size_t begin, char end) {
    for (std::size_t position = begin + 1; position < grammar.size(); ++position) {
        if (grammar[position] == '\\') {
            ++position;
        } else if (grammar[position] == end) {
            return position + 1;
        }
    }
    return grammar.size();
}

}  // namespace

// In llama.cpp's grammars free text is an optional rule `until-N?` of the root rule; reasoning is a mandatory one
// between its tags.
std::string without_free_text(const std::string& grammar) {
    constexpr std::string_view free_text = " until-";
    const auto root = find_rule(grammar, "root");
    if (root == std::string::npos) {
        return grammar;
    }
    std::string without = grammar;
    for (auto found = without.find(free_text, root); found < without.find('\n', root);) {
        const auto number = found + free_text.size();
        const auto end = without.find_first_not_of("0123456789", number);
        if (end != std::string::npos && end > number && without[end] == '?') {
            without.erase(found, end + 1 - found);
        } else {
            found = number;
        }
        found = without.find(free_text, found);
    }
    return without;
}

std::string with_one_call(const std::string& grammar) {
    const auto rule = find_rule(grammar, "tool-calls");
    if (rule == std::string::npos) {
        return grammar;
    }
    const auto end = std::min(grammar.find('\n', rule), grammar.size());
    std::string changed = grammar;
    if (grammar[end - 1] == '+') {
        changed.erase(end - 1, 1);
    }
    return changed;
}

// Names of rules are not what stands in literals, classes, repetitions, tokens and comments.
std::string with_prefix(std::string_view grammar, std::string_view prefix) {
    std::string out;
    for (std::size_t position = 0; position < grammar.size();) {
        const char letter = grammar[position];
        std::size_t end = position + 1;
        switch (letter) {
            case '"': end = behind(grammar, position, '"'); break;
            case '[': end = behind(grammar, position, ']'); break;
            case '{': end = behind(grammar, position, '}'); break;
            case '<': end = behind(grammar, position, '>'); break;
            case '#': end = behind(grammar, position, '\n'); break;
            default:
                if (is_name_character(letter)) {
                    out += prefix;
                    while (end < grammar.size() && is_name_character(grammar[end])) {
                        ++end;
                    }
                }
        }
        out += grammar.substr(position, end - position);
        position = end;
    }
    return out;
}

std::string either(std::string_view begin, std::string_view one, std::string_view other) {
    std::string root = "root ::= ";
    if (!begin.empty()) {
        root += gbnf_format_literal(std::string(begin)) + " ";
    }
    return root + "(one-root | other-root)\n" + with_prefix(one, "one-") + "\n" + with_prefix(other, "other-");
}

}  // namespace worker::engine::llama
