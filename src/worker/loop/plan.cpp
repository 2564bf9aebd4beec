#include "worker/loop/plan.hpp"

#include <algorithm>

namespace worker::loop {
namespace {

constexpr std::size_t fewest_prompt_tokens = 16;
constexpr std::size_t prompt_tokens_before_measuring = 64;

void learn(double& average, double value) {
    average = average == 0 ? value : 0.8 * average + 0.2 * value;
}

}  // namespace

std::vector<std::size_t> plan_step(std::span<const std::size_t> pending, const StepBudget& budget) {
    std::vector<std::size_t> plan(pending.size());
    std::size_t left = budget.batch;
    for (std::size_t slot = 0; slot < pending.size() && left > 0; ++slot) {
        if (pending[slot] == 1) {
            plan[slot] = 1;
            --left;
        }
    }
    if (left < budget.batch) {
        left = std::min(left, budget.prompt_beside_generation);
    }
    for (std::size_t slot = 0; slot < pending.size(); ++slot) {
        if (pending[slot] > 1) {
            plan[slot] = std::min(pending[slot], left);
            left -= plan[slot];
        }
    }
    return plan;
}

void PromptPace::observe(std::size_t generating, std::size_t prompt_tokens, base::Duration duration) {
    if (generating == 0) {
        return;
    }
    const double took = base::seconds(duration);
    if (prompt_tokens == 0) {
        learn(generation_seconds_, took);
    } else if (generation_seconds_ > 0) {
        const double extra = std::max(took - generation_seconds_, 0.0);
        learn(prompt_token_seconds_, std::max(extra / static_cast<double>(prompt_tokens), 1e-7));
    }
}

std::size_t PromptPace::tokens() const {
    if (generation_seconds_ == 0 || prompt_token_seconds_ == 0) {
        return std::min(prompt_tokens_before_measuring, batch_);
    }
    const double fitting = (stretch - 1) * generation_seconds_ / prompt_token_seconds_;
    return std::clamp(static_cast<std::size_t>(std::min(fitting, 1e6)), std::min(fewest_prompt_tokens, batch_), batch_);
}

}  // namespace worker::loop
