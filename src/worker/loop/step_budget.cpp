#include "worker/loop/step_budget.hpp"

#include <algorithm>
#include <chrono>
#include <vector>

namespace worker::loop {
namespace {

constexpr base::Duration longest_shared_step = std::chrono::seconds(1);

}  // namespace

StepBudget budget_of_step(std::span<const std::unique_ptr<Run>> running, std::span<const Need> needs,
                          const PromptPace& pace, std::size_t batch) {
    StepShape answers;
    std::size_t prompts = 0;
    bool beside_answers = false;
    std::vector<engine::AdapterSet> sets_with_prompts;
    auto first_stream = base::TimePoint::max();
    auto last_arrival = base::TimePoint::min();
    for (std::size_t slot = 0; slot < needs.size(); ++slot) {
        const JobInLoop& job = *running[slot]->job;
        if (running[slot]->is_generating()) {
            // Those of other adapters too: they wait while this step runs.
            ++answers.generating;
            answers.depth += running[slot]->evaluated;
            first_stream = std::min(first_stream, job.first_token.value_or(base::TimePoint::max()));
            beside_answers = beside_answers || needs[slot].generating;
            continue;
        }
        if (std::ranges::find(sets_with_prompts, job.adapters) == sets_with_prompts.end()) {
            sets_with_prompts.push_back(job.adapters);
        }
        if (needs[slot].pending > 0) {
            ++prompts;
            last_arrival = std::max(last_arrival, job.arrived);
        }
    }
    StepBudget budget{.batch = batch};
    if (prompts == 0) {
        return budget;
    }
    const auto position = running[first_prompt(needs)]->evaluated;
    if (answers.generating > 0) {
        answers.depth /= answers.generating;
        const auto streams =
            last_arrival <= first_stream ? Streams::of_the_same_burst : Streams::older_than_the_prompts;
        const std::size_t tokens = pace.tokens(answers, position, streams);
        // Prompts of other adapters have steps of their own, before the streams go on.
        const std::size_t share = (tokens + sets_with_prompts.size() - 1) / sets_with_prompts.size();
        (beside_answers ? budget.prompt_beside_generation : budget.batch) = std::min(share, batch);
    } else if (prompts > 1) {
        // One that is cancelled cannot end a step that works for others.
        budget.batch = std::min(budget.batch, pace.tokens_within(longest_shared_step, position));
    }
    return budget;
}

StepShape shape_of(std::span<const std::unique_ptr<Run>> running, std::span<const std::size_t> plan) {
    StepShape shape;
    std::size_t positions = 0;
    std::size_t depths = 0;
    for (std::size_t slot = 0; slot < plan.size(); ++slot) {
        const Run& run = *running[slot];
        if (run.is_generating()) {
            shape.generating += plan[slot];
            depths += plan[slot] * run.evaluated;
        } else {
            shape.prompt_tokens += plan[slot];
            positions += plan[slot] * (run.evaluated + plan[slot] / 2);
        }
    }
    shape.depth = shape.generating == 0 ? 0 : depths / shape.generating;
    shape.position = shape.prompt_tokens == 0 ? 0 : positions / shape.prompt_tokens;
    return shape;
}

}  // namespace worker::loop
