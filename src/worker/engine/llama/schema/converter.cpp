#include "worker/engine/llama/schema/converter.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace worker::engine::llama::schema {
namespace {

constexpr std::size_t most_companies = 20'000;
constexpr std::size_t most_work = 500'000;
constexpr std::size_t most_number_states = 60'000;

constexpr std::array never_enforced{"not",
                                    "if",
                                    "then",
                                    "else",
                                    "contains",
                                    "minContains",
                                    "maxContains",
                                    "dependentRequired",
                                    "dependentSchemas",
                                    "dependencies",
                                    "$dynamicRef",
                                    "$recursiveRef"};

}  // namespace

std::expected<std::string, Fault> Converter::convert() {
    number_states_ = most_number_states;
    const Rule root = rules_.add("root");
    const Together whole = gathering_.of({Document::root});
    known_.emplace(whole, root);
    open_.push_back({root, whole, "value"});
    for (std::size_t done = 0; done < open_.size() && !refused(); ++done) {
        const Task task = std::move(open_[done]);
        work_ += 1 + task.together.members.size();
        fill(task.rule, task.together, task.name);
        if (exhausted() && !refused()) {
            const auto& members = task.together.members;
            refuse({.path = members.empty() ? "" : document_.path(members.back().part),
                    .complaint = "it would need too large a grammar"});
        }
    }
    if (gathering_.fault() || fault_) {
        return std::unexpected(gathering_.fault() ? *gathering_.fault() : *fault_);
    }
    if (auto text = rules_.text(root)) {
        return std::move(*text);
    }
    return std::unexpected(
        contradiction_.value_or(Fault{.path = {}, .complaint = "there is no value that satisfies it"}));
}

bool Converter::exhausted() const {
    return rules_.too_large() || open_.size() > most_companies || work_ > most_work;
}

void Converter::refuse(Fault fault) {
    if (!fault_) {
        fault_ = std::move(fault);
    }
}

void Converter::cannot_enforce(Document::Part part, const char* keyword, const std::string& complaint) {
    if (unenforceable_ == Unenforceable::refused) {
        refuse({.path = document_.path(part) + in_path(keyword), .complaint = complaint});
    }
}

void Converter::cannot_enforce_any(const Together& together, std::initializer_list<const char*> keywords,
                                   const std::string& complaint) {
    for (const char* keyword : keywords) {
        for (const auto& member : together.members) {
            if (document_.find(member.part, keyword) != nullptr) {
                cannot_enforce(member.part, keyword, complaint);
                return;
            }
        }
    }
}

void Converter::contradicts(const Together& together, const char* keyword, std::string complaint) {
    if (contradiction_) {
        return;
    }
    for (const auto& member : together.members) {
        if (document_.find(member.part, keyword) != nullptr) {
            contradiction_ =
                Fault{.path = document_.path(member.part) + in_path(keyword), .complaint = std::move(complaint)};
            return;
        }
    }
}

Converter::Rule Converter::rule_for(Together together, const std::string& name) {
    const auto known = known_.find(together);
    if (known != known_.end()) {
        return known->second;
    }
    const Rule rule = rules_.add(name);
    known_.emplace(together, rule);
    open_.push_back({rule, std::move(together), name});
    return rule;
}

void Converter::check_enforceable(const Together& together) {
    for (const auto& member : together.members) {
        if (!checked_.insert(member.part).second) {
            continue;
        }
        for (const char* keyword : never_enforced) {
            if (document_.find(member.part, keyword) != nullptr) {
                cannot_enforce(member.part, keyword, fmt::format("`{}` cannot be enforced", keyword));
            }
        }
        if (const auto* required = document_.find(member.part, "required");
            required != nullptr && required->is_boolean()) {
            cannot_enforce(member.part, "required", "expected a list of names");
        }
    }
}

void Converter::fill(Rule rule, const Together& together, const std::string& name) {
    if (together.impossible) {
        return;
    }
    const auto listed = values_listed(document_, together);
    if (!listed) {
        check_enforceable(together);
    }
    if (const auto choice = gathering_.choice(together)) {
        choose_one(rule, together, *choice, name);
        return;
    }
    if (listed) {
        std::vector<std::u32string> texts;
        for (const auto* value : values_left(*listed, together)) {
            texts.push_back(characters_of(value->dump()));
        }
        if (texts.empty()) {
            contradicts(together, "enum", "none of these values satisfies the rest of the schema");
            contradicts(together, "const", "this value does not satisfy the rest of the schema");
            return;
        }
        rules_.choose(rule, {RuleBook::item(rules_.one_of(std::move(texts), name))});
        return;
    }
    const Types types = types_meant(document_, together);
    if (types.empty()) {
        contradicts(together, "type", "there is no type that all of the schema allows");
    }
    if (types.has(Types::object)) {
        add_object(rule, together, name);
    }
    if (types.has(Types::array)) {
        add_array(rule, together, name);
    }
    if (types.has(Types::string)) {
        add_string(rule, together, name);
    }
    if (types.has(Types::whole)) {
        add_number(rule, together, !types.has(Types::fraction), name);
    }
    if (types.has(Types::boolean)) {
        rules_.choose(rule, {RuleBook::literal("true")});
        rules_.choose(rule, {RuleBook::literal("false")});
    }
    if (types.has(Types::null)) {
        rules_.choose(rule, {RuleBook::literal("null")});
    }
}

void Converter::choose_one(Rule rule, const Together& together, const Choice& choice, const std::string& name) {
    if (choice.exactly_one && !all_apart(together, choice)) {
        cannot_enforce(choice.part, "oneOf", "a value could satisfy several of these; use anyOf");
    }
    for (std::size_t index = 0; index < choice.count && !refused(); ++index) {
        auto chosen = gathering_.chosen(together, choice, index);
        if (!chosen.impossible) {
            rules_.choose(rule, {RuleBook::item(rule_for(std::move(chosen), name))});
        }
    }
}

std::vector<const common_json*> Converter::values_left(const std::vector<const common_json*>& values,
                                                       const Together& together) {
    std::vector<const common_json*> left;
    for (const auto* value : values) {
        const bool fits = std::ranges::all_of(
            together.members, [&](const Member& member) { return judge_.satisfies(*value, member.part); });
        if (fits) {
            left.push_back(value);
        }
    }
    return left;
}

base::Result<std::string> grammar_of(const std::string& schema, const std::string& param, Unenforceable unenforceable) {
    const auto json = common_json::parse_no_throw(schema);
    if (json.is_discarded()) {
        return base::fail(base::ErrorCode::invalid, "The JSON Schema is no JSON.", param);
    }
    auto grammar = Converter(json, unenforceable).convert();
    if (!grammar) {
        const auto& [path, complaint] = grammar.error();
        return base::fail(base::ErrorCode::invalid,
                          fmt::format("The JSON Schema cannot be used: {}: {}.",
                                      path.empty() ? "schema" : path.substr(path.starts_with('.') ? 1 : 0), complaint),
                          param + path);
    }
    return std::move(*grammar);
}

base::Result<std::string> grammar_of_pattern(const std::string& pattern, const std::string& param) {
    const auto refused = [&](const std::string& complaint) {
        return base::fail(base::ErrorCode::invalid,
                          fmt::format("The regular expression cannot be used: {}.", complaint), param);
    };
    Texts texts;
    if (const auto alone = texts.with_pattern(pattern); !alone) {
        return refused(alone.error().message);
    }
    const auto whole = texts.with_pattern("^(?:" + pattern + ")$");
    const auto* language = whole ? texts.language(*whole) : nullptr;
    if (language == nullptr) {
        return refused("it would need too large a grammar");
    }
    RuleBook rules;
    const auto root = rules.add("root");
    rules.choose(root, {RuleBook::item(rules.texts(*language, RuleBook::Form::plain, "text"))});
    const auto grammar = rules.too_large() ? std::nullopt : rules.text(root);
    if (!grammar) {
        return refused(language->empty() ? "no text matches it" : "it would need too large a grammar");
    }
    return *grammar;
}

}  // namespace worker::engine::llama::schema
