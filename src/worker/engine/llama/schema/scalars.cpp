/// Strings and numbers.

#include <fmt/format.h>

#include "worker/engine/llama/schema/converter.hpp"

namespace worker::engine::llama::schema {
namespace {

RuleBook::Sequence quoted(RuleBook::Sequence text) {
    text.insert(text.begin(), RuleBook::literal("\""));
    text.push_back(RuleBook::literal("\""));
    return text;
}

}  // namespace

// As llama.cpp has it: free enough for every model's habit, and too narrow for one that writes space for ever.
Converter::Rule Converter::space() {
    if (!space_) {
        space_ = rules_.add("space");
        rules_.choose(*space_, {});
        rules_.choose(*space_, {RuleBook::literal(" ")});
        rules_.choose(*space_, {RuleBook::notation("\"\\n\"{1,2} [ \\t]{0,20}")});
    }
    return *space_;
}

// A character of a string, as it is or escaped. A pair of surrogates is one.
Converter::Rule Converter::character() {
    if (!character_) {
        character_ = rules_.add("character");
        rules_.choose(*character_, {RuleBook::notation("[^\"\\\\\\x7F\\x00-\\x1F]")});
        const Rule escape = rules_.add("escape");
        rules_.choose(*character_, {RuleBook::literal("\\"), RuleBook::item(escape)});
        rules_.choose(escape, {RuleBook::notation("[\"\\\\/bfnrt]")});
        rules_.choose(escape, {RuleBook::literal("u"), RuleBook::notation("[0-9a-cefA-CEF] [0-9a-fA-F]{3}")});
        rules_.choose(escape, {RuleBook::literal("u"), RuleBook::notation("[dD] [0-7] [0-9a-fA-F]{2}")});
        rules_.choose(escape,
                      {RuleBook::literal("u"),
                       RuleBook::notation("[dD] [89abAB] [0-9a-fA-F]{2} \"\\\\u\" [dD] [c-fC-F] [0-9a-fA-F]{2}")});
    }
    return *character_;
}

Converter::Rule Converter::any_string() {
    if (!any_string_) {
        any_string_ = rules_.add("string");
        rules_.choose(*any_string_, quoted(rules_.repeated(character(), 0, std::nullopt)));
    }
    return *any_string_;
}

Converter::Rule Converter::any_number(bool whole_only) {
    if (const auto known = any_number_.find(whole_only); known != any_number_.end()) {
        return known->second;
    }
    const Rule rule = rules_.add(whole_only ? "integer" : "number");
    any_number_.emplace(whole_only, rule);
    constexpr const char* whole = "\"-\"? ([0] | [1-9] [0-9]{0,15})";
    rules_.choose(
        rule, {RuleBook::notation(whole_only ? std::string(whole)
                                             : std::string(whole) + " (\".\" [0-9]{1,16})? ([eE] [-+]? [0-9]{1,2})?")});
    return rule;
}

// Patterns and formats; nothing where there are none.
std::optional<Expression> Converter::texts_demanded(const Together& together) {
    std::vector<Expression> demands;
    for (const auto& member : together.members) {
        if (const auto* pattern = document_.find(member.part, "pattern")) {
            const auto texts = texts_.with_pattern(pattern->get<std::string>());
            if (texts) {
                demands.push_back(*texts);
            } else if (texts.error().code == base::ErrorCode::invalid) {
                refuse({.path = document_.path(member.part) + ".pattern",
                        .complaint = fmt::format("it is no regular expression: {}", texts.error().message)});
            } else {
                cannot_enforce(member.part, "pattern", texts.error().message);
            }
        }
        if (const auto* format = document_.find(member.part, "format")) {
            if (const auto texts = texts_.of_format(format->get<std::string>())) {
                demands.push_back(*texts);
            } else {
                cannot_enforce(member.part, "format", "this format is not known");
            }
        }
    }
    const auto joined = texts_.expressions().both(std::move(demands));
    return joined == Expressions::anything ? std::nullopt : std::optional(joined);
}

void Converter::add_string(Rule rule, const Together& together, const std::string& name) {
    const auto length = counts(document_, together, "minLength", "maxLength", fault_);
    if (!length.possible()) {
        contradicts(together, "maxLength", "it is less than minLength");
        return;
    }
    const auto demanded = texts_demanded(together);
    if (refused()) {
        return;
    }
    if (demanded) {
        const auto expression = texts_.expressions().both(
            {*demanded,
             texts_.of_length(static_cast<std::uint32_t>(length.least),
                              length.most ? std::optional(static_cast<std::uint32_t>(*length.most)) : std::nullopt)});
        const auto* language = texts_.language(expression);
        if (language != nullptr) {
            if (language->empty()) {
                contradicts(together, "pattern", "no string satisfies it together with the rest of the schema");
                contradicts(together, "format", "no string satisfies it together with the rest of the schema");
                return;
            }
            const Rule text = rules_.texts(*language, RuleBook::Form::json_string, name);
            rules_.choose(rule, quoted({RuleBook::item(text)}));
            return;
        }
        cannot_enforce_any(together, {"pattern", "format"}, "it would need too large a grammar");
    }
    if (length.least == 0 && !length.most) {
        rules_.choose(rule, {RuleBook::item(any_string())});
        return;
    }
    rules_.choose(rule, quoted(rules_.repeated(character(), length.least, length.most)));
}

void Converter::add_number(Rule rule, const Together& together, bool whole_only, const std::string& name) {
    auto numbers = schema::numbers(document_, together, fault_);
    if (!numbers.plain) {
        rules_.choose(rule, {RuleBook::item(any_number(whole_only))});
        return;
    }
    numbers.whole_only = whole_only;
    const auto language = language_of(numbers, number_states_);
    if (!language) {
        cannot_enforce_any(together,
                           {"multipleOf", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "format"},
                           "it would need too large a grammar");
        rules_.choose(rule, {RuleBook::item(any_number(whole_only))});
        return;
    }
    if (language->empty()) {
        for (const char* keyword : {"maximum", "exclusiveMaximum", "minimum", "exclusiveMinimum", "multipleOf"}) {
            contradicts(together, keyword, "no number satisfies it together with the rest of the schema");
        }
        return;
    }
    rules_.choose(rule, {RuleBook::item(rules_.texts(*language, RuleBook::Form::plain, name))});
}

}  // namespace worker::engine::llama::schema
