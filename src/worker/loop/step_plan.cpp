/// What the step loop evaluates next.

#include <algorithm>
#include <numeric>

#include "worker/loop/step_budget.hpp"
#include "worker/loop/step_loop.hpp"

namespace worker::loop {
namespace {

std::size_t tokens_of(const std::vector<std::size_t>& plan) {
    return std::accumulate(plan.begin(), plan.end(), std::size_t{0});
}

}  // namespace

// Prompts of one set may have to wait for the streams of another: then it is the next one's turn.
std::vector<std::size_t> StepLoop::plan() {
    for (const auto& adapters : turns_.in_order(running_)) {
        auto planned = plan_with(adapters);
        if (tokens_of(planned) > 0) {
            turns_.took(adapters);
            return planned;
        }
    }
    return std::vector<std::size_t>(running_.size());
}

// Those with other adapters get nothing of this step.
std::vector<std::size_t> StepLoop::plan_with(const engine::AdapterSet& adapters) {
    while (true) {
        std::vector<Need> needs(running_.size());
        std::ranges::transform(running_, needs.begin(), [&](const RunPointer& run) {
            return run->job->adapters == adapters ? Need{.pending = planned_at_most(*run),
                                                         .generating = run->is_generating(),
                                                         .priority = run->job->priority}
                                                  : Need{};
        });
        const auto planned = plan_step(needs, budget_of_step(running_, needs, pace_, engine_.limits().batch_tokens));
        if (memory_.make_room(tokens_of(planned)) || !preempt_youngest()) {
            return planned;
        }
    }
}

std::size_t StepLoop::planned_at_most(const Run& run) const {
    const auto pending = run.pending_text();
    const auto most = run.checkpoint > run.evaluated ? std::min(pending, run.checkpoint - run.evaluated) : pending;
    return run.is_scoring() ? std::min(most, scored_at_most()) : most;
}

// Tokens with an output are few: one for each slot and some more, which those share whose prompts are to be scored.
std::size_t StepLoop::scored_at_most() const {
    const auto scoring = std::ranges::count_if(running_, [](const RunPointer& run) { return run->is_scoring(); });
    const std::size_t outputs = engine_.limits().outputs;
    const std::size_t left = outputs - std::min(outputs, running_.size());
    return std::max<std::size_t>(left / static_cast<std::size_t>(std::max<std::ptrdiff_t>(scoring, 1)), 1);
}

}  // namespace worker::loop
