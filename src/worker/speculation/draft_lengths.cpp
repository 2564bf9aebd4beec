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

struct Choice {
    std::vector<std::size_t> lengths;
    /// The sum over the answers of the logarithms of their speeds, against a step without drafts.
    double worth = 0;
};

// `answers`: how many the longer step costs something.
Choice choose(std::span<const Draft* const> drafts, const cost::StepShape& step, const DraftRoom& room,
              const cost::StepCost& cost, double answers) {
    Choice choice{.lengths = std::vector<std::size_t>(drafts.size())};
    const double plain = cost.seconds(step);
    if (plain == 0 || step.generating == 0) {
        return choice;
    }
    std::vector<Taking> takings;
    for (std::size_t slot = 0; slot < drafts.size(); ++slot) {
        takings.push_back({.draft = drafts[slot], .slot = slot});
    }
    const auto gains_less = [](const Taking& one, const Taking& other) { return one.gain() < other.gain(); };
    std::priority_queue best(gains_less, std::move(takings));
    std::vector<std::size_t> taken(drafts.size());
    double gained = 0;
    double making = 0;
    double most_gained = least_gain * answers;
    for (std::size_t count = 1; count <= room.most && step.generating + count <= cost.most(); ++count) {
        if (best.empty() || best.top().ended()) {
            break;
        }
        Taking next = best.top();
        best.pop();
        gained += next.gain();
        making += next.draft->making_seconds;
        next.take();
        taken[next.slot] = next.taken;
        best.push(next);
        cost::StepShape longer = step;
        longer.drafted = count;
        const double seconds = cost.seconds(longer) + making;
        if (room.longest_seconds > 0 && seconds > room.longest_seconds) {
            continue;  // a larger number of tokens may still be cheaper
        }
        const double worth = gained - answers * std::log(seconds / plain);
        if (worth > most_gained) {
            most_gained = worth;
            choice = {.lengths = taken, .worth = worth};
        }
    }
    return choice;
}

}  // namespace

std::vector<std::size_t> draft_lengths(std::span<const Draft* const> drafts, const cost::StepShape& step,
                                       const DraftRoom& room, const cost::StepCost& cost) {
    return choose(drafts, step, room, cost, static_cast<double>(step.generating)).lengths;
}

double gain_of(const Draft& draft, const cost::StepShape& step, const DraftRoom& room, const cost::StepCost& cost) {
    const Draft* const only[] = {&draft};
    return choose(only, step, room, cost, 1).worth;
}

}  // namespace worker::speculation
