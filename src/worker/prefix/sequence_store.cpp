#include "worker/prefix/sequence_store.hpp"

#include <algorithm>

namespace worker::prefix {

std::size_t common_prefix(std::span<const Token> one, std::span<const Token> other) {
    return static_cast<std::size_t>(std::ranges::mismatch(one, other).in1 - one.begin());
}

SequenceStore::SequenceStore(std::size_t sequences, std::size_t cells)
    : entries_(sequences), ledger_(sequences, cells), cells_(cells) {}

std::optional<Match> SequenceStore::longest_match(std::span<const Token> tokens, std::string_view salt,
                                                  const Reusable& reusable) const {
    std::optional<Match> best;
    for (std::size_t sequence = 0; sequence < entries_.size(); ++sequence) {
        const Entry& entry = entries_[sequence];
        if (entry.salt != salt) {
            continue;
        }
        const auto shared = common_prefix(entry.tokens, tokens);
        if (shared == 0 || (best && shared < best->tokens)) {
            continue;
        }
        const bool better = !best || shared > best->tokens || (entries_[best->sequence].busy && !entry.busy);
        if (better && reusable(sequence, shared) == shared) {
            best = Match{.sequence = sequence, .tokens = shared};
        }
    }
    return best;
}

bool SequenceStore::could_hold(std::size_t tokens, const std::optional<Match>& match, std::size_t promised) const {
    const auto growing = busy();
    const auto shared = match ? ledger_.shared_with(match->sequence, match->tokens, growing) : 0;
    return ledger_.held_by(growing) + promised + tokens + 1 - shared <= cells_;
}

std::optional<std::size_t> SequenceStore::place(std::optional<std::size_t> keep) const {
    std::optional<std::size_t> best;
    for (std::size_t sequence = 0; sequence < entries_.size(); ++sequence) {
        const Entry& entry = entries_[sequence];
        if (entry.busy || sequence == keep) {
            continue;
        }
        if (entry.tokens.empty()) {
            return sequence;
        }
        if (!best || entry.used < entries_[*best].used) {
            best = sequence;
        }
    }
    if (!best && keep && !entries_[*keep].busy) {
        best = keep;
    }
    return best;
}

std::optional<std::size_t> SequenceStore::oldest_idle() const {
    std::optional<std::size_t> oldest;
    for (std::size_t sequence = 0; sequence < entries_.size(); ++sequence) {
        const Entry& entry = entries_[sequence];
        if (!entry.busy && !entry.tokens.empty() && (!oldest || entry.used < entries_[*oldest].used)) {
            oldest = sequence;
        }
    }
    return oldest;
}

void SequenceStore::take(std::size_t sequence, std::string_view salt) {
    entries_[sequence].busy = true;
    entries_[sequence].salt = salt;
}

void SequenceStore::release(std::size_t sequence) {
    entries_[sequence].busy = false;
    entries_[sequence].used = ++uses_;
}

void SequenceStore::append(std::size_t sequence, std::span<const Token> tokens) {
    ledger_.append(sequence, tokens.size());
    entries_[sequence].tokens.insert(entries_[sequence].tokens.end(), tokens.begin(), tokens.end());
}

void SequenceStore::copy(std::size_t from, std::size_t to, std::size_t tokens) {
    ledger_.copy(from, to, tokens);
    const auto source = entries_[from].tokens.begin();
    entries_[to].tokens.assign(source, source + static_cast<std::ptrdiff_t>(tokens));
    entries_[from].used = ++uses_;
}

void SequenceStore::trim(std::size_t sequence, std::size_t tokens) {
    ledger_.trim(sequence, tokens);
    if (entries_[sequence].tokens.size() > tokens) {
        entries_[sequence].tokens.resize(tokens);
    }
}

std::vector<bool> SequenceStore::busy() const {
    std::vector<bool> busy(entries_.size());
    for (std::size_t sequence = 0; sequence < entries_.size(); ++sequence) {
        busy[sequence] = entries_[sequence].busy;
    }
    return busy;
}

}  // namespace worker::prefix
