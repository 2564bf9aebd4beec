#pragma once

/// How much one step may evaluate, from who runs and what steps have cost; and what a planned step consists of. Pure.

#include <cstddef>
#include <memory>
#include <span>

#include "worker/loop/plan.hpp"
#include "worker/loop/prompt_pace.hpp"
#include "worker/loop/run.hpp"

namespace worker::loop {

/// `needs[i]` is that of `running[i]` in this step: nothing for those who use other adapters. `batch`: the most tokens
/// the engine takes. With answers of other adapters alone beside it, a step of prompts may have to be empty.
StepBudget budget_of_step(std::span<const std::unique_ptr<Run>> running, std::span<const Need> needs,
                          const PromptPace& pace, std::size_t batch);

/// Of a plan that is not evaluated yet.
StepShape shape_of(std::span<const std::unique_ptr<Run>> running, std::span<const std::size_t> plan);

}  // namespace worker::loop
