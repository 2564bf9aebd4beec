#include "worker/engine/llama/schema/language.hpp"

#include <algorithm>
#include <map>

namespace worker::engine::llama::schema {
namespace {

constexpr std::size_t most_states = 6000;
constexpr int most_rounds = 64;

// The characters in groups that no set tells apart.
std::vector<CodePoints> groups(const std::vector<CodePoints>& sets) {
    std::vector<char32_t> bounds = {0};
    for (const auto& set : sets) {
        for (const Span& span : set.spans()) {
            bounds.push_back(span.first);
            bounds.push_back(span.last + 1);
        }
    }
    std::ranges::sort(bounds);
    const auto doubled = std::ranges::unique(bounds);
    bounds.erase(doubled.begin(), doubled.end());
    constexpr char32_t end = 0x110000;
    std::map<std::vector<bool>, std::vector<Span>> by_membership;
    for (std::size_t at = 0; at < bounds.size() && bounds[at] < end; ++at) {
        const char32_t last = (at + 1 < bounds.size() ? bounds[at + 1] : end) - 1;
        std::vector<bool> membership;
        membership.reserve(sets.size());
        for (const auto& set : sets) {
            membership.push_back(set.contains(bounds[at]));
        }
        by_membership[std::move(membership)].push_back({bounds[at], last});
    }
    std::vector<CodePoints> found;
    for (auto& [membership, spans] : by_membership) {
        if (CodePoints group(std::move(spans)); !group.empty()) {
            found.push_back(std::move(group));
        }
    }
    return found;
}

std::vector<bool> states_that_can_end(const std::vector<Language::State>& states) {
    std::vector<std::vector<std::uint32_t>> before(states.size());
    std::vector<bool> can(states.size());
    std::vector<std::uint32_t> open;
    for (std::uint32_t state = 0; state < states.size(); ++state) {
        for (const auto& step : states[state].steps) {
            before[step.to].push_back(state);
        }
        if (states[state].ends) {
            can[state] = true;
            open.push_back(state);
        }
    }
    while (!open.empty()) {
        const auto state = open.back();
        open.pop_back();
        for (const auto earlier : before[state]) {
            if (!can[earlier]) {
                can[earlier] = true;
                open.push_back(earlier);
            }
        }
    }
    return can;
}

using Classes = std::vector<std::uint32_t>;

// Splits classes of states until states of one class go to the same classes (Moore). Long counts take as many rounds as
// they are long and gain nothing: those stay as they are.
std::optional<Classes> equal_states(const std::vector<Language::State>& states, const std::vector<bool>& alive) {
    Classes classes(states.size());
    for (std::size_t state = 0; state < states.size(); ++state) {
        classes[state] = states[state].ends ? 1 : 0;
    }
    std::size_t count = 0;
    for (int round = 0; round < most_rounds; ++round) {
        std::map<std::pair<std::uint32_t, std::map<std::uint32_t, CodePoints>>, std::uint32_t> numbers;
        Classes finer(states.size());
        for (std::size_t state = 0; state < states.size(); ++state) {
            if (!alive[state]) {
                continue;
            }
            std::map<std::uint32_t, CodePoints> ways;
            for (const auto& step : states[state].steps) {
                if (alive[step.to]) {
                    auto& on = ways[classes[step.to]];
                    on = on.united(step.on);
                }
            }
            const auto number = static_cast<std::uint32_t>(numbers.size());
            finer[state] = numbers.try_emplace({classes[state], std::move(ways)}, number).first->second;
        }
        classes = std::move(finer);
        if (numbers.size() == count) {
            return classes;
        }
        count = numbers.size();
    }
    return std::nullopt;
}

}  // namespace

bool Language::contains(std::u32string_view text) const {
    if (states.empty()) {
        return false;
    }
    std::uint32_t state = 0;
    for (const char32_t character : text) {
        const auto step =
            std::ranges::find_if(states[state].steps, [&](const Step& each) { return each.on.contains(character); });
        if (step == states[state].steps.end()) {
            return false;
        }
        state = step->to;
    }
    return states[state].ends;
}

Language Language::tidied() const {
    const auto alive = states_that_can_end(states);
    if (states.empty() || !alive.front()) {
        return {};
    }
    auto classes = equal_states(states, alive);
    if (!classes) {
        classes.emplace();
        for (std::uint32_t state = 0; state < states.size(); ++state) {
            classes->push_back(state);
        }
    }
    Language tidy;
    std::map<std::uint32_t, std::uint32_t> numbers{{classes->front(), 0}};
    std::vector<std::uint32_t> examples = {0};  // a state of each class, in the order in which they are met
    for (std::size_t at = 0; at < examples.size(); ++at) {
        const State& state = states[examples[at]];
        std::map<std::uint32_t, CodePoints> ways;
        for (const auto& [on, to] : state.steps) {
            if (!alive[to]) {
                continue;
            }
            const auto [place, added] =
                numbers.try_emplace((*classes)[to], static_cast<std::uint32_t>(examples.size()));
            if (added) {
                examples.push_back(to);
            }
            ways[place->second] = ways[place->second].united(on);
        }
        State described{.steps = {}, .ends = state.ends};
        for (auto& [to, on] : ways) {
            described.steps.push_back({std::move(on), to});
        }
        tidy.states.push_back(std::move(described));
    }
    return tidy;
}

std::optional<Language> language_of(Expressions& expressions, Expression expression) {
    const auto alphabet = groups(expressions.sets(expression));
    std::map<Expression, std::uint32_t> numbers{{expression, 0}};
    std::vector<Expression> found = {expression};
    Language language;
    for (std::size_t at = 0; at < found.size(); ++at) {
        const Expression state = found[at];
        Language::State described{.steps = {}, .ends = expressions.takes_empty(state)};
        std::map<std::uint32_t, CodePoints> ways;
        for (const auto& group : alphabet) {
            const Expression after = expressions.after(state, group.spans().front().first);
            if (after == Expressions::nothing) {
                continue;
            }
            const auto [place, added] = numbers.try_emplace(after, static_cast<std::uint32_t>(found.size()));
            if (added) {
                found.push_back(after);
            }
            auto& on = ways[place->second];
            on = on.united(group);
        }
        if (expressions.exhausted() || found.size() > most_states) {
            return std::nullopt;
        }
        for (auto& [to, on] : ways) {
            described.steps.push_back({std::move(on), to});
        }
        language.states.push_back(std::move(described));
    }
    return language.tidied();
}

}  // namespace worker::engine::llama::schema
