#include "worker/prefix/saved_states.hpp"

#include <algorithm>
#include <utility>

namespace worker::prefix {

std::vector<SavedStates::Piece> SavedStates::cover(std::span<const Token> tokens, std::string_view salt,
                                                   std::size_t have) const {
    struct Candidate {
        Id state;
        std::size_t reach;
    };
    std::vector<Candidate> candidates;
    for (const auto& step : tree_.walk(tokens, salt)) {
        for (const Id state : step.holders) {
            const bool usable = divisible_ || to(state) == step.tokens;
            if (usable && step.tokens > have) {
                candidates.push_back({.state = state, .reach = step.tokens});
            }
        }
    }
    std::vector<Piece> pieces;
    if (!divisible_) {
        if (const auto best = std::ranges::max_element(candidates, {}, &Candidate::reach); best != candidates.end()) {
            pieces.push_back({.state = best->state, .from = 0, .to = best->reach});
        }
        return pieces;
    }
    while (true) {
        const Candidate* best = nullptr;
        for (const Candidate& each : candidates) {
            if (entries_[each.state].from <= have && each.reach > have &&
                (best == nullptr || each.reach > best->reach)) {
                best = &each;
            }
        }
        if (best == nullptr) {
            return pieces;
        }
        pieces.push_back({.state = best->state, .from = have, .to = best->reach});
        have = best->reach;
    }
}

std::size_t SavedStates::covered(std::span<const Token> tokens, std::string_view salt, std::size_t have) const {
    const auto pieces = cover(tokens, salt, have);
    return pieces.empty() ? have : pieces.back().to;
}

SavedStates::Id SavedStates::add(std::span<const Token> tokens, std::string_view salt, std::size_t from) {
    Id state = static_cast<Id>(entries_.size());
    if (unused_.empty()) {
        entries_.emplace_back();
    } else {
        state = unused_.back();
        unused_.pop_back();
    }
    tree_.extend(state, tokens, salt);
    entries_[state] = {.from = from};
    use(state);
    return state;
}

void SavedStates::store(Id state, Tier tier, std::size_t bytes) {
    bytes_[index(tier)] += bytes - entries_[state].bytes[index(tier)];
    entries_[state].bytes[index(tier)] = bytes;
}

void SavedStates::drop(Id state, Tier tier) {
    Entry& entry = entries_[state];
    bytes_[index(tier)] -= std::exchange(entry.bytes[index(tier)], 0);
    if (std::ranges::all_of(entry.bytes, [](std::size_t bytes) { return bytes == 0; }) && alive(state)) {
        tree_.trim(state, 0);
        unused_.push_back(state);
    }
}

// Another state begins inside this one, on the same path.
bool SavedStates::has_dependents(Id state) const {
    const std::size_t from = entries_[state].from;
    std::size_t begin = 0;
    for (const auto& step : tree_.path(state)) {
        for (const Id other : step.holders) {
            const std::size_t theirs = entries_[other].from;
            if (other != state && theirs > from && theirs > begin && theirs <= step.tokens) {
                return true;
            }
        }
        begin = step.tokens;
    }
    return false;
}

double SavedStates::worth(Id state, Tier tier) const {
    const Entry& entry = entries_[state];
    return entry.use.worth(effort_.of(entry.from, to(state)), entry.bytes[index(tier)]);
}

std::optional<SavedStates::Id> SavedStates::next_to_go(Tier tier) {
    std::vector<std::pair<double, Id>> stored;
    for (Id state = 0; state < entries_.size(); ++state) {
        if (this->stored(state, tier)) {
            stored.emplace_back(worth(state, tier), state);
        }
    }
    if (stored.empty()) {
        return std::nullopt;
    }
    std::ranges::sort(stored, {},
                      [this](const auto& each) { return std::pair(each.first, entries_[each.second].use.order); });
    const auto leaf = std::ranges::find_if(stored, [this](const auto& each) { return !has_dependents(each.second); });
    const auto& chosen = leaf == stored.end() ? stored.front() : *leaf;
    clock_.gone(chosen.first);
    return chosen.second;
}

std::vector<SavedStates::Id> SavedStates::superseded_by(Id state) const {
    std::vector<Id> superseded;
    if (!divisible_) {
        return superseded;
    }
    const Entry& entry = entries_[state];
    for (const auto& step : tree_.path(state)) {
        for (const Id other : step.holders) {
            const bool ends_here = to(other) == step.tokens;
            const bool as_stored = std::ranges::equal(entries_[other].bytes, entry.bytes,
                                                      [](auto theirs, auto ours) { return theirs == 0 || ours > 0; });
            if (other != state && ends_here && entries_[other].from >= entry.from && as_stored) {
                superseded.push_back(other);
            }
        }
    }
    return superseded;
}

std::size_t SavedStates::count(Tier tier) const {
    return static_cast<std::size_t>(
        std::ranges::count_if(entries_, [&](const Entry& entry) { return entry.bytes[index(tier)] > 0; }));
}

}  // namespace worker::prefix
