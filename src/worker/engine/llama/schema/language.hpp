#pragma once

/// A set of texts as a deterministic automaton without dead ends: from every state a text of the set can still be
/// finished.

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "worker/engine/llama/schema/code_points.hpp"
#include "worker/engine/llama/schema/expression.hpp"

namespace worker::engine::llama::schema {

struct Language {
    struct Step {
        CodePoints on;
        std::uint32_t to = 0;
    };
    struct State {
        std::vector<Step> steps;  // apart from each other
        bool ends = false;
    };

    std::vector<State> states;  ///< begins at the first; none: there is no such text

    bool empty() const { return states.empty(); }
    bool contains(std::u32string_view text) const;
    /// The same without states from which no text can be finished, and with only one of those that mean the same.
    Language tidied() const;
};

/// Nothing when it would be too large.
std::optional<Language> language_of(Expressions& expressions, Expression expression);

/// The language of a machine that is in `start`, goes on with `next(state, character) -> optional<State>` for each of
/// `alphabet` and may end where `ends(state)`. Nothing when it has more than `most_states`.
template <typename State, typename Next, typename Ends>
std::optional<Language> explored(const State& start, std::u32string_view alphabet, std::size_t most_states, Next next,
                                 Ends ends) {
    std::map<State, std::uint32_t> numbers{{start, 0}};
    std::vector<State> found{start};
    Language language;
    for (std::size_t at = 0; at < found.size(); ++at) {
        const State state = found[at];
        Language::State described{.steps = {}, .ends = ends(state)};
        std::map<std::uint32_t, std::vector<Span>> steps;
        for (const char32_t character : alphabet) {
            if (const auto after = next(state, character)) {
                const auto [place, added] = numbers.try_emplace(*after, static_cast<std::uint32_t>(found.size()));
                if (added) {
                    found.push_back(*after);
                }
                steps[place->second].push_back({character, character});
            }
        }
        if (found.size() > most_states) {
            return std::nullopt;
        }
        for (auto& [to, spans] : steps) {
            described.steps.push_back({CodePoints(std::move(spans)), to});
        }
        language.states.push_back(std::move(described));
    }
    return language.tidied();
}

}  // namespace worker::engine::llama::schema
