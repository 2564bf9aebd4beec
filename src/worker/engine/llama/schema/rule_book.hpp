#pragma once

/// The rules of a grammar while they are being made, and its text in llama.cpp's notation (GBNF).

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "worker/engine/llama/schema/code_points.hpp"
#include "worker/engine/llama/schema/language.hpp"

namespace worker::engine::llama::schema {

class RuleBook {
public:
    using Rule = std::uint32_t;

    struct Item {
        enum class Kind : std::uint8_t { literal, notation, rule };
        Kind kind = Kind::literal;
        std::string text;  ///< of a literal as it is; notation is a part of the grammar's text
        Rule rule = 0;
    };
    using Sequence = std::vector<Item>;

    static Item literal(std::string_view text) { return {.kind = Item::Kind::literal, .text = std::string(text)}; }
    static Item one_of(const CodePoints& set);
    static Item notation(std::string_view text) { return {.kind = Item::Kind::notation, .text = std::string(text)}; }
    static Item item(Rule rule) { return {.kind = Item::Kind::rule, .text = {}, .rule = rule}; }

    /// A rule that matches nothing until it has alternatives. The name is for readers; what does not fit is changed.
    Rule add(std::string_view name);
    void choose(Rule rule, Sequence alternative);

    /// What a rule matches `least` to `most` times (or without limit): a few rules, however large the numbers are.
    Sequence repeated(Rule rule, std::uint64_t least, std::optional<std::uint64_t> most);

    enum class Form { plain, json_string };
    /// Texts of a language; in a JSON string without its quotes, with escapes where they are needed.
    Rule texts(const Language& language, Form form, std::string_view name);
    /// One of some texts.
    Rule one_of(std::vector<std::u32string> texts, std::string_view name);

    /// More than a grammar should have.
    bool too_large() const;

    /// Without the rules and alternatives that no text can be finished with. Nothing when `root` is such a rule.
    std::optional<std::string> text(Rule root) const;

private:
    Rule exactly(Rule rule, std::uint64_t count);
    Rule at_most(Rule rule, std::uint64_t count);
    Rule any_number(Rule rule);
    std::vector<bool> productive() const;

    struct Entry {
        std::string name;
        std::vector<Sequence> alternatives;
    };
    std::vector<Entry> rules_;
    std::size_t size_ = 0;  // of all items, about as long as the text
    std::map<std::tuple<Rule, int, std::uint64_t>, Rule> repetitions_;
};

}  // namespace worker::engine::llama::schema
