/// Arrays: items with a place of their own, the others, their number, and arrays of different values.

#include <algorithm>

#include "worker/engine/llama/schema/converter.hpp"

namespace worker::engine::llama::schema {
namespace {

// Beyond, different values are written in the order in which the schema lists them.
constexpr std::size_t most_subsets = 256;
constexpr std::size_t most_listed = 500;

}  // namespace

Converter::Items Converter::items_of(const Together& together) {
    Items items;
    bool listed = false;
    bool described = false;  // what follows the first ones is
    struct Described {
        Document::Part part;
        const char* first;
        const char* rest;
        std::size_t count;
    };
    std::vector<Described> members;
    std::size_t count = 0;
    for (const auto& member : together.members) {
        const auto* after = document_.find(member.part, "items");
        const bool as_list = after != nullptr && after->is_array();  // as before the draft of 2020
        const char* first = as_list ? "items" : "prefixItems";
        const auto* prefix = document_.find(member.part, first);
        members.push_back({.part = member.part,
                           .first = first,
                           .rest = as_list ? "additionalItems" : "items",
                           .count = prefix == nullptr ? 0 : prefix->size()});
        count = std::max(count, members.back().count);
        listed = listed || members.back().count > 0;
        described = described || document_.find(member.part, members.back().rest) != nullptr;
    }
    items.open = described || !listed;
    const auto at = [&](std::size_t index) {
        Parts parts;
        for (const auto& [part, first, rest, own] : members) {
            if (index < own) {
                parts.push_back(document_.inside(part, first, index));
            } else if (document_.find(part, rest) != nullptr) {
                parts.push_back(document_.inside(part, rest));
            }
        }
        return parts;
    };
    for (std::size_t index = 0; index < count; ++index) {
        items.first.push_back(at(index));
    }
    items.rest = at(count);
    return items;
}

void Converter::add_array(Rule rule, const Together& together, const std::string& name) {
    auto size = counts(document_, together, "minItems", "maxItems", fault_);
    if (!size.possible()) {
        contradicts(together, "maxItems", "it is less than minItems");
        return;
    }
    auto items = items_of(together);
    const auto first = items.first.size();
    const bool counted = std::ranges::any_of(
        together.members, [&](const Member& member) { return document_.find(member.part, "minItems") != nullptr; });
    if (!counted) {  // who describes places means them to be filled
        size.least = std::min<std::uint64_t>(first, size.most.value_or(first));
    }
    if (!items.open && size.least <= first) {
        size.most = std::min<std::uint64_t>(first, size.most.value_or(first));
    }
    for (const auto& member : together.members) {
        const auto* unique = document_.find(member.part, "uniqueItems");
        const bool must_differ = unique != nullptr && unique->get<bool>() && size.most.value_or(2) > 1;
        if (!must_differ) {
            continue;
        }
        if (add_array_of_different(rule, items, size, name)) {
            return;
        }
        cannot_enforce(member.part, "uniqueItems", "only items with an enum can be kept different from each other");
        break;
    }
    // rules[index] goes on after `index` items.
    std::vector<Rule> rules;
    for (std::size_t index = 0; index <= first; ++index) {
        rules.push_back(rules_.add(name + "-items"));
    }
    const auto separator = [&](std::size_t index) {
        return index == 0 ? Sequence{} : Sequence{RuleBook::literal(","), RuleBook::item(space())};
    };
    const auto end = [&](std::size_t index) { return index == 0 ? Sequence{} : Sequence{RuleBook::item(space())}; };
    for (std::size_t index = 0; index < first; ++index) {
        if (index >= size.least) {
            rules_.choose(rules[index], end(index));
        }
        if (!size.most || index < *size.most) {
            auto sequence = separator(index);
            sequence.push_back(RuleBook::item(rule_for(items.first[index], name + "-item")));
            sequence.push_back(RuleBook::item(rules[index + 1]));
            rules_.choose(rules[index], std::move(sequence));
        }
    }
    if (first >= size.least) {
        rules_.choose(rules[first], end(first));
    }
    if (!size.most || *size.most > first) {
        const Rule item = rule_for(items.rest, name + "-item");
        const Rule another = rules_.add(name + "-more");
        rules_.choose(another, {RuleBook::literal(","), RuleBook::item(space()), RuleBook::item(item)});
        const auto written = first == 0 ? 1 : 0;
        const auto more = [&](std::uint64_t count) { return count > first + written ? count - first - written : 0; };
        // With places before, none more is an end that is already there.
        const auto least = first == 0 ? more(size.least) : std::max<std::uint64_t>(more(size.least), 1);
        Sequence sequence;
        if (first == 0) {
            sequence.push_back(RuleBook::item(item));
        }
        const auto most = size.most ? std::optional(more(*size.most)) : std::nullopt;
        for (auto& repeated : rules_.repeated(another, least, most)) {
            sequence.push_back(std::move(repeated));
        }
        sequence.push_back(RuleBook::item(space()));
        rules_.choose(rules[first], std::move(sequence));
    }
    rules_.choose(rule,
                  {RuleBook::literal("["), RuleBook::item(space()), RuleBook::item(rules[0]), RuleBook::literal("]")});
}

// For items that are listed values. What may come next depends on those that have come: with a few values one rule for
// each subset of them, with many they come in order.
bool Converter::add_array_of_different(Rule rule, const Items& items, Counts size, const std::string& name) {
    const auto together = gathering_.of(items.rest);
    const auto listed = values_listed(document_, together);
    if (!items.first.empty() || !listed || listed->size() > most_listed || gathering_.choice(together)) {
        return false;
    }
    std::vector<Rule> values;
    for (const auto* value : values_left(*listed, together)) {
        const bool known = std::ranges::any_of(
            *listed, [&](const common_json* other) { return other < value && *other == common_json_value(*value); });
        if (!known) {
            values.push_back(rules_.add(name + "-item"));
            rules_.choose(values.back(), {RuleBook::literal(value->dump())});
        }
    }
    const auto count = values.size();
    const bool in_order = count > 20 || (std::size_t{1} << count) > most_subsets;
    // What is settled (a bit each, or how many are behind) and how many were written.
    using State = std::pair<std::size_t, std::size_t>;
    std::map<State, Rule> rules;
    std::vector<State> open;
    const auto rule_after = [&](const State& state) {
        const auto [place, added] = rules.try_emplace(state, 0);
        if (added) {
            place->second = rules_.add(name + "-items");
            open.push_back(state);
        }
        return place->second;
    };
    rules_.choose(rule, {RuleBook::literal("["), RuleBook::item(space()), RuleBook::item(rule_after({0, 0})),
                         RuleBook::literal("]")});
    while (!open.empty() && !rules_.too_large()) {
        const State state = open.back();
        open.pop_back();
        const auto& [settled, written] = state;
        const Rule from = rules[state];
        if (written >= size.least) {
            rules_.choose(from, written == 0 ? Sequence{} : Sequence{RuleBook::item(space())});
        }
        if (size.most && written >= *size.most) {
            continue;
        }
        for (std::size_t index = in_order ? settled : 0; index < count; ++index) {
            const auto bit = std::size_t{1} << (in_order ? 0 : index);
            if (!in_order && (settled & bit) != 0) {
                continue;
            }
            Sequence sequence;
            if (written > 0) {
                sequence = {RuleBook::literal(","), RuleBook::item(space())};
            }
            sequence.push_back(RuleBook::item(values[index]));
            const auto capped = std::max<std::size_t>(size.least, size.most.value_or(0)) > 0 ? written + 1 : 1;
            sequence.push_back(RuleBook::item(rule_after({in_order ? index + 1 : settled | bit, capped})));
            rules_.choose(from, std::move(sequence));
        }
    }
    return true;
}

}  // namespace worker::engine::llama::schema
