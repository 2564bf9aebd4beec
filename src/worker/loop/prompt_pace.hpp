#pragma once

/// How many prompt tokens may ride along with generating slots without making the gaps in their streams too long, by what
/// steps have cost (worker/cost/step_cost.hpp).
///
/// A prompt is slowed down by ratio / (ratio - 1), so a smaller ratio is paid for by long prompts. Kernels that work in
/// tiles deviate from the straight line; what is learnt follows them.

#include <cstddef>

#include "base/clock.hpp"
#include "worker/cost/step_cost.hpp"

namespace worker::loop {

/// The longest gap in a stream that prompts beside it may cause: the larger of both.
struct GapTarget {
    /// Times the gap without prompts.
    double ratio = 2.3;
    base::Duration gap{};
};

/// Streams that a prompt found running when it arrived are protected by the target. Those that began after it, out of
/// the same burst of requests, are not its elders: larger steps let all of them begin sooner and end sooner.
enum class Streams { older_than_the_prompts, of_the_same_burst };

using cost::StepShape;

class PromptPace {
public:
    /// `cost` must outlive this.
    PromptPace(const cost::StepCost& cost, std::size_t batch, GapTarget target)
        : cost_(cost), batch_(batch), target_(target) {}

    void observe(const StepShape& step);

    /// How many prompt tokens may ride along with the generating slots of `step` (at least one), from `position` on:
    /// 4 … batch, so that all tokens of the step fill whole tiles. Now and then 0, to see how long generation takes alone.
    std::size_t tokens(const StepShape& step, std::size_t position,
                       Streams streams = Streams::older_than_the_prompts) const;

    /// How many prompt tokens from `position` on take about as long as this: 128 … batch; the batch while nothing is known.
    std::size_t tokens_within(base::Duration time, std::size_t position) const;

private:
    const cost::StepCost& cost_;
    std::size_t batch_;
    GapTarget target_;
    std::size_t steps_since_alone_ = 0;
};

}  // namespace worker::loop
