#include "worker/prefix/sequence_store.hpp"

#include <algorithm>
#include <ranges>

namespace worker::prefix {
namespace {

// Cells are freed in pieces of at least so many tokens: one cut for each new token would be many small ones.
constexpr std::size_t smallest_cut = 64;

Holder holder(std::size_t sequence) {
    return static_cast<Holder>(sequence);
}

}  // namespace

std::size_t common_prefix(std::span<const Token> one, std::span<const Token> other) {
    return static_cast<std::size_t>(std::ranges::mismatch(one, other).in1 - one.begin());
}

SequenceStore::SequenceStore(std::size_t sequences, std::size_t cells, std::size_t block)
    : entries_(sequences), ledger_(sequences, cells, block), cells_(cells) {}

bool SequenceStore::idle(std::size_t sequence) const {
    return entries_[sequence].role == Role::idle && length(sequence) > 0;
}

std::optional<Match> SequenceStore::longest_match(std::span<const Token> tokens, std::string_view salt,
                                                  const Reusable& reusable) const {
    const auto own = match_in(tokens, salt, reusable);
    if (salt.starts_with(apart)) {
        return own;
    }
    const auto pinned = match_in(tokens, pinned_salt, reusable);
    return pinned && (!own || pinned->tokens > own->tokens) ? pinned : own;
}

// From the end of the path upwards each step adds the holders that part with the prompt there.
std::optional<Match> SequenceStore::match_in(std::span<const Token> tokens, std::string_view salt,
                                             const Reusable& reusable) const {
    std::vector<bool> seen(entries_.size());
    for (const auto& step : std::views::reverse(tree_.walk(tokens, salt))) {
        std::optional<Match> best;
        for (const Holder each : step.holders) {
            if (seen[each]) {
                continue;
            }
            seen[each] = true;
            const bool better =
                !best || (entries_[best->sequence].role == Role::busy && entries_[each].role != Role::busy);
            if (better && reusable(each, step.tokens) == step.tokens) {
                best = Match{.sequence = each, .tokens = step.tokens};
            }
        }
        if (best) {
            return best;
        }
    }
    return std::nullopt;
}

bool SequenceStore::could_hold(std::size_t tokens, const std::optional<Match>& match, std::size_t promised) const {
    const auto staying = fixed();
    const auto shared =
        match ? ledger_.shared_with(match->sequence, ledger_.shared_by_copy(match->tokens), staying) : 0;
    return ledger_.held_by(staying) + promised + tokens + 1 - shared <= cells_;
}

// Of what is lost only the cells that nobody else holds count, on both sides: they are what must be evaluated again,
// and what becomes free.
double SequenceStore::worth(std::size_t sequence, const Saved& saved) const {
    const auto end = length(sequence);
    const auto begin = ledger_.unshared_from(sequence);
    const auto kept_elsewhere = std::clamp(saved(sequence), begin, end);
    const double cost = cost_of_saved * effort_.of(begin, kept_elsewhere) + effort_.of(kept_elsewhere, end);
    return entries_[sequence].use.worth(cost, end - begin);
}

template <typename Predicate>
std::optional<std::size_t> SequenceStore::least_worth(const Predicate& eligible, const Saved& saved) const {
    std::optional<std::size_t> best;
    double least = 0;
    for (std::size_t sequence = 0; sequence < entries_.size(); ++sequence) {
        if (!idle(sequence) || !eligible(sequence)) {
            continue;
        }
        const double worth = this->worth(sequence, saved);
        // Among equals the one used longest ago.
        if (!best || worth < least || (worth == least && entries_[sequence].use.order < entries_[*best].use.order)) {
            best = sequence;
            least = worth;
        }
    }
    return best;
}

std::optional<std::size_t> SequenceStore::place(std::optional<std::size_t> keep, const Saved& saved) {
    for (std::size_t sequence = 0; sequence < entries_.size(); ++sequence) {
        if (entries_[sequence].role == Role::idle && length(sequence) == 0 && sequence != keep) {
            return sequence;
        }
    }
    const auto cheapest = least_worth([&](std::size_t sequence) { return sequence != keep; }, saved);
    if (cheapest) {
        clock_.gone(worth(*cheapest, saved));
        return cheapest;
    }
    return keep && entries_[*keep].role == Role::idle ? keep : std::nullopt;
}

std::optional<Cut> SequenceStore::cheapest_cut(std::size_t cells, bool partial, const Saved& saved,
                                               std::optional<std::size_t> keep) {
    const auto unshared = [this](std::size_t sequence) { return length(sequence) - ledger_.unshared_from(sequence); };
    const auto cheapest =
        least_worth([&](std::size_t sequence) { return sequence != keep && unshared(sequence) > 0; }, saved);
    if (!cheapest) {
        // Idle sequences share all they have with each other: when one goes, the cells are the other's alone.
        const auto any = least_worth([&](std::size_t sequence) { return sequence != keep; }, saved);
        return any ? std::optional(Cut{.sequence = *any, .tokens = 0}) : std::nullopt;
    }
    clock_.gone(worth(*cheapest, saved));
    if (!partial) {
        return Cut{.sequence = *cheapest, .tokens = 0};
    }
    const auto tail = unshared(*cheapest);
    const auto wanted = std::max(cells, smallest_cut);
    return Cut{.sequence = *cheapest, .tokens = length(*cheapest) - (wanted + smallest_cut > tail ? tail : wanted)};
}

void SequenceStore::take(std::size_t sequence, std::string_view salt) {
    entries_[sequence].role = Role::busy;
    entries_[sequence].salt = salt;
}

void SequenceStore::release(std::size_t sequence) {
    entries_[sequence].role = Role::idle;
    entries_[sequence].use.again(clock_);
}

void SequenceStore::pin(std::size_t sequence) {
    entries_[sequence].role = Role::pinned;
}

void SequenceStore::append(std::size_t sequence, std::span<const Token> tokens) {
    ledger_.append(sequence, tokens.size());
    tree_.extend(holder(sequence), tokens, entries_[sequence].salt);
}

void SequenceStore::copy(std::size_t from, std::size_t to, std::size_t tokens) {
    ledger_.copy(from, to, tokens);
    if (entries_[from].salt == entries_[to].salt) {
        tree_.follow(holder(to), holder(from), tokens);
    } else {
        const auto all = tree_.tokens(holder(from));
        tree_.extend(holder(to), std::span(all).first(tokens), entries_[to].salt);
    }
    entries_[to].use = {};
    entries_[from].use.again(clock_);
}

void SequenceStore::trim(std::size_t sequence, std::size_t tokens) {
    ledger_.trim(sequence, tokens);
    tree_.trim(holder(sequence), tokens);
    if (tokens == 0) {
        entries_[sequence].use = {};
    }
}

std::size_t SequenceStore::pinned_cells() const {
    std::vector<bool> pinned(entries_.size());
    for (std::size_t sequence = 0; sequence < entries_.size(); ++sequence) {
        pinned[sequence] = entries_[sequence].role == Role::pinned;
    }
    return ledger_.held_by(pinned);
}

// Whose cells cannot be had.
std::vector<bool> SequenceStore::fixed() const {
    std::vector<bool> fixed(entries_.size());
    for (std::size_t sequence = 0; sequence < entries_.size(); ++sequence) {
        fixed[sequence] = entries_[sequence].role != Role::idle;
    }
    return fixed;
}

}  // namespace worker::prefix
