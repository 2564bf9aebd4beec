#include "worker/speculation/draft_lengths.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <queue>

namespace worker::speculation {
namespace {

// Estimates are never exact: what gains less is left.
constexpr double least_gain = 0.03;

// One draft while tokens are taken from it, one after the other.
struct Taking {
    const Draft* draft;
    std::size_t slot;
    std::size_t taken = 0;
    double all_right = 1;  // the chance that every token taken is right
    double expected = 1;   // tokens of a step: the one that is sampled anyhow and those taken

    bool ended() const { return taken == draft->tokens.size(); }
    double next_right() const { return all_right * draft->chances[taken]; }
    // What the next token adds to the logarithm of the answer's speed.
    double gain() const { return ended() ? 0 : std::log1p(next_right() / expected); }
    void take() {
        all_right = next_right();
        expected += all_right;
        ++taken;
    }
};

}  // namespace

std::vector<std::size_t> draft_lengths(std::span<const Draft* const> drafts, const cost::StepShape& step,
                                       const DraftRoom& room, const cost::StepCost& cost) {
    std::vector<std::size_t> lengths(drafts.size());
    const double plain = cost.seconds(step);
    if (plain == 0 || step.generating == 0) {
        return lengths;
    }
    const auto answers = static_cast<double>(step.generating);
    std::vector<Taking> takings;
    for (std::size_t slot = 0; slot < drafts.size(); ++slot) {
        takings.push_back({.draft = drafts[slot], .slot = slot});
    }
    const auto gains_less = [](const Taking& one, const Taking& other) { return one.gain() < other.gain(); };
    std::priority_queue best(gains_less, std::move(takings));
    std::vector<std::size_t> taken(drafts.size());
    double gained = 0;
    double most_gained = least_gain * answers;
    for (std::size_t count = 1; count <= room.most && step.generating + count <= cost.most(); ++count) {
        if (best.empty() || best.top().ended()) {
            break;
        }
        Taking next = best.top();
        best.pop();
        gained += next.gain();
        next.take();
        taken[next.slot] = next.taken;
        best.push(next);
        cost::StepShape longer = step;
        longer.drafted = count;
        const double seconds = cost.seconds(longer);
        if (room.longest_seconds > 0 && seconds > room.longest_seconds) {
            continue;  // a larger number of tokens may still be cheaper
        }
        const double worth = gained - answers * std::log(seconds / plain);
        if (worth > most_gained) {
            most_gained = worth;
            lengths = taken;
        }
    }
    return lengths;
}

}  // namespace worker::speculation
