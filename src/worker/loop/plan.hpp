#pragma once

/// What one step evaluates: a number of tokens for each slot. Pure.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace worker::loop {

/// Of one slot.
struct Need {
    /// Tokens that are not evaluated yet.
    std::size_t pending = 0;
    /// Its answer goes on with this step: all that is pending is evaluated, before anything else.
    bool generating = false;
    std::int32_t priority = 0;
};

struct StepBudget {
    /// Most tokens of a step.
    std::size_t batch = 0;
    /// Most prompt tokens of a step in which some slot generates: a large prompt must not stop the others' streams.
    std::size_t prompt_beside_generation = 0;
};

/// One number for each slot; `needs` is in the order in which the slots were given out.
///
/// Generating slots come first. Of what is left for prompts a quarter belongs to the oldest one, so that none starves;
/// the rest goes to larger priorities first, and among equals to those with the fewest tokens left: a short prompt's
/// first token comes soon, however long the prompts beside it are. Shares that nobody can use go to the others.
std::vector<std::size_t> plan_step(std::span<const Need> needs, const StepBudget& budget);

/// Which slot plan_step serves first with prompt tokens beyond the oldest one's share; needs.size() when no prompt is
/// pending.
std::size_t first_prompt(std::span<const Need> needs);

}  // namespace worker::loop
