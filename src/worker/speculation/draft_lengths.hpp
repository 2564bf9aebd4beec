#pragma once

/// How much of each draft is worth evaluating.

#include <cstddef>
#include <span>
#include <vector>

#include "worker/cost/step_cost.hpp"
#include "worker/speculation/draft.hpp"

namespace worker::speculation {

struct DraftRoom {
    /// Most tokens of all drafts together.
    std::size_t most = 0;
    /// A step with drafts takes no longer than this; 0: as long as it is worth.
    double longest_seconds = 0;
};

/// `step` is what is evaluated without drafts: answers that go on, nothing else.
/// One number for each draft: how many of its first tokens to evaluate, 0 where a guess does not pay. Weighs what the
/// answers gain, in expected tokens a step, against what the longer step costs all of them, those without a draft too:
/// the geometric mean of the answers' speeds becomes as large as it can be. Pure.
std::vector<std::size_t> draft_lengths(std::span<const Draft* const> drafts, const cost::StepShape& step,
                                       const DraftRoom& room, const cost::StepCost& cost);

/// What one draft alone would gain: the logarithm of how many times faster its answer becomes, where it is the only one
/// that is drafted for; 0 where it does not pay.
double gain_of(const Draft& draft, const cost::StepShape& step, const DraftRoom& room, const cost::StepCost& cost);

}  // namespace worker::speculation
