#pragma once

/// What one step evaluates: a number of tokens for each slot. A generating slot has one pending token, a slot whose
/// prompt is not evaluated yet has more; nothing else tells them apart.

#include <cstddef>
#include <span>
#include <vector>

#include "base/clock.hpp"

namespace worker::loop {

struct StepBudget {
    /// Most tokens of a step.
    std::size_t batch = 0;
    /// Most prompt tokens of a step in which some slot generates: a large prompt must not stop the others' streams.
    std::size_t prompt_beside_generation = 0;
};

/// `pending[i]`: tokens slot i has not evaluated. Every generating slot gets its token first, then prompts are filled
/// in the given order up to the budget. The result has one number for each slot. Pure.
std::vector<std::size_t> plan_step(std::span<const std::size_t> pending, const StepBudget& budget);

/// Learns from finished steps how many prompt tokens may ride along so that a step takes at most about `stretch` times
/// as long as generation alone.
class PromptPace {
public:
    explicit PromptPace(std::size_t batch) : batch_(batch) {}

    void observe(std::size_t generating, std::size_t prompt_tokens, base::Duration duration);
    /// 16 … batch.
    std::size_t tokens() const;

private:
    static constexpr double stretch = 2.5;

    std::size_t batch_;
    double generation_seconds_ = 0;    // of a step without prompt tokens
    double prompt_token_seconds_ = 0;  // of each prompt token that rides along
};

}  // namespace worker::loop
