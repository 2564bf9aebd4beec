/// Objects: properties in the order of the schema, those that no schema names, and their number.

#include <algorithm>

#include "worker/engine/llama/schema/converter.hpp"

namespace worker::engine::llama::schema {
namespace {

constexpr std::size_t most_patterns = 4;

std::string quoted(const std::string& name) {
    return common_json::make(name).dump();
}

}  // namespace

// Every schema has its say about a property: by name, by pattern, or as one that it does not know.
Converter::Parts Converter::parts_of_property(const Together& together, const std::string& name) {
    Parts parts;
    for (const auto& [part, any_chosen, one_chosen] : together.members) {
        bool described = false;
        if (const auto* properties = document_.find(part, "properties");
            properties != nullptr && properties->contains(name)) {
            parts.push_back(document_.inside(part, "properties", name));
            described = true;
        }
        if (const auto* patterns = document_.find(part, "patternProperties")) {
            for (const auto& [pattern, schema] : patterns->items()) {
                const auto texts = texts_.with_pattern(pattern);
                const auto* language = texts ? texts_.language(*texts) : nullptr;
                if (language == nullptr) {
                    cannot_enforce(part, "patternProperties", "one of these patterns cannot be enforced");
                } else if (language->contains(characters_of(name))) {
                    parts.push_back(document_.inside(part, "patternProperties", pattern));
                    described = true;
                }
            }
        }
        if (!described && document_.find(part, "additionalProperties") != nullptr) {
            parts.push_back(document_.inside(part, "additionalProperties"));
        }
    }
    return parts;
}

Converter::Rule Converter::property_rule(const Sequence& key, const Parts& parts, const std::string& name) {
    const Rule rule = rules_.add(name + "-property");
    auto sequence = key;
    sequence.push_back(RuleBook::item(space()));
    sequence.push_back(RuleBook::literal(":"));
    sequence.push_back(RuleBook::item(space()));
    sequence.push_back(RuleBook::item(rule_for(parts, name)));
    rules_.choose(rule, std::move(sequence));
    return rule;
}

// What `propertyNames` says; nothing when it says nothing.
std::optional<Expression> Converter::names_demanded(const Together& together) {
    std::vector<Expression> demands;
    for (const auto& member : together.members) {
        if (document_.find(member.part, "propertyNames") == nullptr) {
            continue;
        }
        const auto names = gathering_.of({document_.inside(member.part, "propertyNames")});
        if (names.impossible || gathering_.choice(names)) {
            cannot_enforce(member.part, "propertyNames", "only simple schemas of strings can be enforced here");
            continue;
        }
        check_enforceable(names);
        if (const auto listed = values_listed(document_, names)) {
            std::vector<Expression> choices;
            for (const auto* value : values_left(*listed, names)) {
                if (value->is_string()) {
                    choices.push_back(texts_.expressions().text(characters_of(value->get<std::string>())));
                }
            }
            demands.push_back(texts_.expressions().either(std::move(choices)));
            continue;
        }
        const auto length = counts(document_, names, "minLength", "maxLength", fault_);
        const auto most = length.most ? std::optional(static_cast<std::uint32_t>(*length.most)) : std::nullopt;
        demands.push_back(length.possible() ? texts_.of_length(static_cast<std::uint32_t>(length.least), most)
                                            : Expressions::nothing);
        demands.push_back(texts_demanded(names).value_or(Expressions::anything));
    }
    const auto joined = texts_.expressions().both(std::move(demands));
    return joined == Expressions::anything ? std::nullopt : std::optional(joined);
}

std::vector<Converter::Property> Converter::properties_of(const Together& together, const std::string& name) {
    std::vector<std::string> names;
    std::set<std::string> known;
    std::set<std::string> required;
    for (const auto& member : together.members) {
        if (const auto* properties = document_.find(member.part, "properties")) {
            for (const auto& [key, schema] : properties->items()) {
                if (known.insert(key).second) {
                    names.push_back(key);
                }
            }
        }
    }
    for (const auto& key : names_required(document_, together)) {
        required.insert(key);
        if (known.insert(key).second) {
            names.push_back(key);
        }
    }
    const auto demanded = names_demanded(together);
    const auto* allowed = demanded ? texts_.language(*demanded) : nullptr;
    if (demanded && allowed == nullptr) {
        cannot_enforce_any(together, {"propertyNames"}, "it would need too large a grammar");
    }
    std::vector<Property> properties;
    for (const auto& key : names) {
        work_ += together.members.size();
        const bool fits = allowed == nullptr || allowed->contains(characters_of(key));
        const Rule rule = fits ? property_rule({RuleBook::literal(quoted(key))}, parts_of_property(together, key), key)
                               : rules_.add(name);
        properties.push_back({.name = key, .rule = rule, .required = required.contains(key)});
    }
    return properties;
}

// Properties that no schema names are written where a schema speaks of them, and where none names any.
Converter::Others Converter::others_of(const Together& together, const std::vector<std::string>& named,
                                       const std::string& name) {
    bool described = false;
    bool names_some = false;
    struct Pattern {
        Document::Part part;
        std::string pattern;
        Expression texts;
    };
    std::vector<Pattern> patterns;
    for (const auto& member : together.members) {
        const auto* others = document_.find(member.part, "additionalProperties");
        described = described || (others != nullptr && *others != false);
        names_some = names_some || document_.find(member.part, "properties") != nullptr;
        if (const auto* by_pattern = document_.find(member.part, "patternProperties")) {
            described = true;
            for (const auto& [pattern, schema] : by_pattern->items()) {
                if (const auto texts = texts_.with_pattern(pattern)) {
                    patterns.push_back({.part = member.part, .pattern = pattern, .texts = *texts});
                } else {
                    cannot_enforce(member.part, "patternProperties", "one of these patterns cannot be enforced");
                }
            }
            if (patterns.size() > most_patterns) {
                cannot_enforce(member.part, "patternProperties", "these are too many patterns");
                patterns.resize(most_patterns);
            }
        }
    }
    if (!described && names_some) {
        return {};
    }
    auto& expressions = texts_.expressions();
    const auto demanded = names_demanded(together);
    const bool any_name = named.empty() && patterns.empty() && !demanded;
    const Rule rule = rules_.add(name + "-other");
    const Others others{.allowed = true, .rule = rule};
    if (any_name) {
        Parts parts;
        for (const auto& member : together.members) {
            if (document_.find(member.part, "additionalProperties") != nullptr) {
                parts.push_back(document_.inside(member.part, "additionalProperties"));
            }
        }
        rules_.choose(rule, {RuleBook::item(property_rule({RuleBook::item(any_string())}, parts, name + "-value"))});
        return others;
    }
    std::vector<Expression> taken;
    for (const auto& each : named) {
        taken.push_back(expressions.text(characters_of(each)));
    }
    const auto free = expressions.both(
        {expressions.other_than(expressions.either(std::move(taken))), demanded.value_or(Expressions::anything)});
    // A name may match several patterns: each set of them has names and a schema of its own.
    for (std::size_t matched = 0; matched < std::size_t{1} << patterns.size(); ++matched) {
        std::vector<Expression> demands = {free};
        const auto matches = [&](std::size_t index) { return (matched >> index & 1U) != 0; };
        for (std::size_t index = 0; index < patterns.size(); ++index) {
            const auto texts = patterns[index].texts;
            demands.push_back(matches(index) ? texts : expressions.other_than(texts));
        }
        Parts parts;
        for (const auto& member : together.members) {
            bool known = false;
            for (std::size_t index = 0; index < patterns.size(); ++index) {
                if (patterns[index].part == member.part && matches(index)) {
                    parts.push_back(document_.inside(member.part, "patternProperties", patterns[index].pattern));
                    known = true;
                }
            }
            if (!known && document_.find(member.part, "additionalProperties") != nullptr) {
                parts.push_back(document_.inside(member.part, "additionalProperties"));
            }
        }
        const bool unspoken = matched == 0 && !patterns.empty() && parts.empty();
        if (unspoken) {
            continue;  // only names with a pattern are meant
        }
        const auto* language = texts_.language(expressions.both(std::move(demands)));
        if (language == nullptr) {
            cannot_enforce_any(together, {"patternProperties", "propertyNames", "additionalProperties"},
                               "it would need too large a grammar");
            continue;
        }
        const Sequence key = {RuleBook::literal("\""),
                              RuleBook::item(rules_.texts(*language, RuleBook::Form::json_string, name + "-name")),
                              RuleBook::literal("\"")};
        rules_.choose(rule, {RuleBook::item(property_rule(key, parts, name + "-value"))});
    }
    return others;
}

void Converter::add_object(Rule rule, const Together& together, const std::string& name) {
    const auto size = counts(document_, together, "minProperties", "maxProperties", fault_);
    if (!size.possible()) {
        contradicts(together, "maxProperties", "it is less than minProperties");
        return;
    }
    const auto properties = properties_of(together, name);
    std::vector<std::string> named;
    for (const auto& property : properties) {
        named.push_back(property.name);
    }
    const auto others = others_of(together, named, name);
    if (refused()) {
        return;
    }
    // Two others may have the same name and then are one, so only one of them counts.
    const auto certain = properties.size() + (others.allowed ? 1 : 0);
    if (size.least > certain) {
        cannot_enforce_any(together, {"minProperties"}, "only properties with names of their own can be counted");
    }
    // How many were written matters up to here: one more or less makes no difference beyond.
    const auto most = size.most && *size.most < certain + 1'000'000 ? size.most : std::nullopt;
    const auto least = std::min<std::uint64_t>(size.least, certain);
    const auto counted = std::max<std::uint64_t>({1, least, most ? std::min<std::uint64_t>(*most, certain) : 0});
    std::map<std::pair<std::size_t, std::uint64_t>, Rule> rules;
    std::vector<std::pair<std::size_t, std::uint64_t>> open;
    const auto rule_after = [&](std::size_t passed, std::uint64_t written) {
        const std::pair state{passed, std::min(written, counted)};
        const auto [place, added] = rules.try_emplace(state, 0);
        if (added) {
            place->second = rules_.add(name + "-properties");
            open.push_back(state);
        }
        return place->second;
    };
    const auto separator = [&](std::uint64_t written) {
        return written == 0 ? Sequence{} : Sequence{RuleBook::literal(","), RuleBook::item(space())};
    };
    rules_.choose(rule, {RuleBook::literal("{"), RuleBook::item(space()), RuleBook::item(rule_after(0, 0)),
                         RuleBook::literal("}")});
    while (!open.empty() && !rules_.too_large()) {
        const auto [passed, written] = open.back();
        open.pop_back();
        const Rule from = rules[{passed, written}];
        const bool may_add = !most || written < *most;
        if (passed < properties.size()) {
            const auto& property = properties[passed];
            if (may_add) {
                auto sequence = separator(written);
                sequence.push_back(RuleBook::item(property.rule));
                sequence.push_back(RuleBook::item(rule_after(passed + 1, written + 1)));
                rules_.choose(from, std::move(sequence));
            }
            if (!property.required) {
                rules_.choose(from, {RuleBook::item(rule_after(passed + 1, written))});
            }
            continue;
        }
        if (written >= least) {
            rules_.choose(from, written == 0 ? Sequence{} : Sequence{RuleBook::item(space())});
        }
        if (others.allowed && may_add && written + 1 >= least) {
            const Rule another = rules_.add(name + "-more");
            rules_.choose(another, {RuleBook::literal(","), RuleBook::item(space()), RuleBook::item(others.rule)});
            auto sequence = separator(written);
            sequence.push_back(RuleBook::item(others.rule));
            const auto left = most ? std::optional(*most - written - 1) : std::nullopt;
            for (auto& repeated : rules_.repeated(another, 0, left)) {
                sequence.push_back(std::move(repeated));
            }
            sequence.push_back(RuleBook::item(space()));
            rules_.choose(from, std::move(sequence));
        }
    }
}

}  // namespace worker::engine::llama::schema
