/// `oneOf`: no value may satisfy two of its schemas. A grammar offers all of them, so that has to follow from what is
/// written for each.

#include <algorithm>

#include "worker/engine/llama/schema/converter.hpp"

namespace worker::engine::llama::schema {
namespace {

constexpr int deepest = 4;
constexpr std::size_t most_compared = 32;

}  // namespace

bool Converter::all_apart(const Together& together, const Choice& choice) {
    if (choice.count > most_compared) {
        return false;
    }
    std::vector<Together> chosen;
    for (std::size_t index = 0; index < choice.count; ++index) {
        chosen.push_back(gathering_.chosen(together, choice, index));
    }
    for (const auto& one : chosen) {
        for (const auto& other : chosen) {
            if (&one != &other && !apart(one, other, 0)) {
                return false;
            }
        }
    }
    return true;
}

bool Converter::apart(const Together& written, const Together& other, int depth) {
    work_ += written.members.size() + other.members.size() + 1;
    if (written.impossible || other.impossible) {
        return true;
    }
    if (depth > deepest || refused() || exhausted()) {
        return false;
    }
    for (const bool first : {true, false}) {
        const auto& divided = first ? written : other;
        const auto choice = gathering_.choice(divided);
        if (!choice) {
            continue;
        }
        for (std::size_t index = 0; index < choice->count; ++index) {
            const auto chosen = gathering_.chosen(divided, *choice, index);
            if (!apart(first ? chosen : written, first ? other : chosen, depth + 1)) {
                return false;
            }
        }
        return true;
    }
    for (const auto* lister : {&written, &other}) {
        if (const auto values = values_listed(document_, *lister)) {
            return values_left(values_left(*values, written), other).empty();
        }
    }
    const Types types = types_meant(document_, written) & types_allowed(document_, other);
    if (types.has(Types::null) || types.has(Types::boolean)) {
        return false;
    }
    std::optional<Fault> fault;
    if (types.has(Types::whole) &&
        numbers(document_, written, fault).shared(numbers(document_, other, fault)).bounds_meet()) {
        return false;
    }
    if (types.has(Types::array)) {
        const auto one = counts(document_, written, "minItems", "maxItems", fault);
        const auto two = counts(document_, other, "minItems", "maxItems", fault);
        if (two.least <= one.most.value_or(two.least) && one.least <= two.most.value_or(one.least)) {
            return false;
        }
    }
    if (types.has(Types::string)) {
        const auto one = texts_demanded(written);
        const auto two = texts_demanded(other);
        const auto* both = one && two ? texts_.language(texts_.expressions().both({*one, *two})) : nullptr;
        if (both == nullptr || !both->empty()) {
            return false;
        }
    }
    return !fault && !(types.has(Types::object) && !objects_apart(written, other, depth));
}

bool Converter::objects_apart(const Together& written, const Together& other, int depth) {
    bool names_some = false;
    bool open = false;
    for (const auto& member : written.members) {
        names_some = names_some || document_.find(member.part, "properties") != nullptr;
        const auto* others = document_.find(member.part, "additionalProperties");
        open = open || (others != nullptr && *others != false) ||
               document_.find(member.part, "patternProperties") != nullptr;
    }
    const auto always = names_required(document_, written);
    const auto may_write = [&](const std::string& name) {
        return open || !names_some || std::ranges::find(always, name) != always.end() ||
               std::ranges::any_of(written.members, [&](const Member& member) {
                   const auto* properties = document_.find(member.part, "properties");
                   return properties != nullptr && properties->contains(name);
               });
    };
    const auto needed = names_required(document_, other);
    if (!std::ranges::all_of(needed, may_write)) {
        return true;
    }
    auto names = always;
    names.insert(names.end(), needed.begin(), needed.end());
    return std::ranges::any_of(names, [&](const std::string& name) {
        return apart(gathering_.of(parts_of_property(written, name)), gathering_.of(parts_of_property(other, name)),
                     depth + 1);
    });
}

}  // namespace worker::engine::llama::schema
