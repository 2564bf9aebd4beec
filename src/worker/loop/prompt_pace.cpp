#include "worker/loop/prompt_pace.hpp"

#include <algorithm>

namespace worker::loop {
namespace {

// A prompt gets on with at least so many a step, and as many more as fill a tile. Fewer cost too much for each: behind
// 3000 others a step of two streams (135M, 2 cores) took 14 ms with 4 prompt tokens, 16 with 6 and 21 with 8, which with
// the streams' own are more than two tiles.
constexpr std::size_t fewest_tokens = 4;
// Kernels work on several tokens at a time and take the rest one by one: 15, 16 and 17 tokens took 82, 71 and 83 ms (0.5B,
// Q4_K, two generating). A size that stays the same also lets the engine use its graph again.
constexpr std::size_t whole_tiles = 4;
constexpr std::size_t steps_between_looks = 200;
// Below this, steps without generating slots lose more than a few percent to what each step costs.
constexpr std::size_t fewest_of_a_large_step = 128;
// Chosen, not tuned: other values were not compared.
constexpr double ratio_in_a_burst = 12;

// The next whole tiles from `tokens` on, generating ones among them.
std::size_t filled(std::size_t tokens) {
    return (tokens + whole_tiles - 1) / whole_tiles * whole_tiles;
}

}  // namespace

void PromptPace::observe(const StepShape& step) {
    if (step.generating > 0) {
        steps_since_alone_ = step.prompt_tokens == 0 ? 0 : steps_since_alone_ + 1;
    }
}

std::size_t PromptPace::tokens(const StepShape& step, std::size_t position, Streams streams) const {
    const double alone = cost_.seconds({.generating = step.generating, .depth = step.depth});
    if (alone == 0 || steps_since_alone_ >= steps_between_looks) {
        return 0;
    }
    const auto fewest = std::min(filled(step.generating + fewest_tokens) - step.generating, batch_);
    const double each = cost_.prompt_token(position);
    if (each == 0) {
        return fewest;
    }
    const double ratio =
        streams == Streams::of_the_same_burst ? std::max(target_.ratio, ratio_in_a_burst) : target_.ratio;
    const double longest = std::max(ratio * alone, base::seconds(target_.gap));
    const double fitting = std::min((longest - alone) / each, 1e6);
    const auto all = (step.generating + static_cast<std::size_t>(std::max(fitting, 0.0))) / whole_tiles * whole_tiles;
    return std::clamp(all > step.generating ? all - step.generating : 0, fewest, std::max(batch_, fewest));
}

std::size_t PromptPace::tokens_within(base::Duration time, std::size_t position) const {
    const double each = cost_.prompt_token(position);
    if (each == 0) {
        return batch_;
    }
    const double fitting = std::min(base::seconds(time) / each, 1e6);
    return std::clamp(static_cast<std::size_t>(fitting), std::min(fewest_of_a_large_step, batch_), batch_);
}

}  // namespace worker::loop
