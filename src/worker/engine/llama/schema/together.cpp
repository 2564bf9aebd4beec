#include "worker/engine/llama/schema/together.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

namespace worker::engine::llama::schema {
void Gathering::refuse(Fault fault) {
    if (!fault_) {
        fault_ = std::move(fault);
    }
}

void Gathering::check(Document::Part part) {
    struct Step {
        Document::Part part;
        std::vector<Document::Part> next;
        std::size_t at = 0;
    };
    std::vector<Step> path;
    const auto enter = [&](Document::Part entered) {
        const auto [place, added] = checked_.try_emplace(entered, Walk::under_way);
        if (!added) {
            if (place->second == Walk::under_way) {
                refuse({.path = document_.path(entered), .complaint = "it is defined by itself, without an end"});
            }
            return;
        }
        if (auto fault = document_.malformed(entered)) {
            refuse(std::move(*fault));
            return;
        }
        Step step{.part = entered, .next = {}};
        if (document_.find(entered, "$ref") != nullptr) {
            const auto target = document_.target(entered);
            if (!target) {
                refuse(
                    {.path = document_.path(entered) + ".$ref", .complaint = "there is no such place in this schema"});
                return;
            }
            step.next.push_back(*target);
        }
        for (const char* keyword : {"allOf", "anyOf", "oneOf"}) {
            const auto* list = document_.find(entered, keyword);
            for (std::size_t index = 0; list != nullptr && index < list->size(); ++index) {
                step.next.push_back(document_.inside(entered, keyword, index));
            }
        }
        path.push_back(std::move(step));
    };
    enter(part);
    while (!path.empty() && !fault_) {
        auto& step = path.back();
        if (step.at == step.next.size()) {
            checked_[step.part] = Walk::done;
            path.pop_back();
        } else {
            enter(step.next[step.at++]);
        }
    }
}

// A schema that only leads to others does not: those are here themselves.
bool Gathering::matters(const Member& member) const {
    return document_.says_something(member.part) ||
           (document_.find(member.part, "anyOf") != nullptr && !member.any_chosen) ||
           (document_.find(member.part, "oneOf") != nullptr && !member.one_chosen);
}

void Gathering::include(Document::Part part, Together& together) {
    std::set<Document::Part> known;
    for (const auto& member : together.members) {
        known.insert(member.part);
    }
    std::vector<Document::Part> open = {part};
    while (!open.empty()) {
        const auto each = open.back();
        open.pop_back();
        check(each);
        if (fault_) {
            return;
        }
        const auto& json = document_.json(each);
        if (json.is_boolean()) {
            together.impossible = together.impossible || !json.get<bool>();
            continue;
        }
        if (!known.insert(each).second) {
            continue;
        }
        if (const Member member{.part = each}; matters(member)) {
            together.members.push_back(member);
        }
        const auto* list = document_.find(each, "allOf");
        for (std::size_t index = list == nullptr ? 0 : list->size(); index > 0; --index) {
            open.push_back(document_.inside(each, "allOf", index - 1));
        }
        if (document_.find(each, "$ref") != nullptr) {
            open.push_back(*document_.target(each));
        }
    }
}

Together Gathering::of(const std::vector<Document::Part>& parts) {
    Together together;
    for (const auto part : parts) {
        include(part, together);
    }
    return together;
}

std::optional<Choice> Gathering::choice(const Together& together) const {
    for (const auto& [part, any_chosen, one_chosen] : together.members) {
        const auto* any = document_.find(part, "anyOf");
        if (any != nullptr && !any_chosen) {
            return Choice{.part = part, .exactly_one = false, .count = any->size()};
        }
        const auto* one = document_.find(part, "oneOf");
        if (one != nullptr && !one_chosen) {
            return Choice{.part = part, .exactly_one = true, .count = one->size()};
        }
    }
    return std::nullopt;
}

Together Gathering::chosen(const Together& together, const Choice& choice, std::size_t index) {
    Together decided = together;
    const auto chooser = std::ranges::find(decided.members, choice.part, &Member::part);
    (choice.exactly_one ? chooser->one_chosen : chooser->any_chosen) = true;
    if (!matters(*chooser)) {
        decided.members.erase(chooser);
    }
    include(document_.inside(choice.part, choice.keyword(), index), decided);
    return decided;
}

}  // namespace worker::engine::llama::schema
