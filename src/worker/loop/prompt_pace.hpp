#pragma once

/// Learns from finished steps what they cost, and so how many prompt tokens may ride along with generating slots without
/// making the gaps in their streams too long.
///
/// The model: a step takes as long as its generating slots alone, plus so much for each prompt token; attention makes
/// that grow with the token's position. A prompt is then slowed down by ratio / (ratio - 1), so a smaller ratio is paid
/// for by long prompts. Kernels that work in tiles deviate from the straight line; what is learnt follows them.
///
/// Estimates are medians of the last steps: a step from which the system stole time changes nothing.

#include <array>
#include <cstddef>
#include <map>

#include "base/clock.hpp"

namespace worker::loop {

/// The longest gap in a stream that prompts beside it may cause: the larger of both.
struct GapTarget {
    /// Times the gap without prompts.
    double ratio = 2.7;
    base::Duration gap{};
};

/// Streams that a prompt found running when it arrived are protected by the target. Those that began after it, out of
/// the same burst of requests, are not its elders: larger steps let all of them begin sooner and end sooner.
enum class Streams { older_than_the_prompts, of_the_same_burst };

/// What a step evaluated.
struct StepShape {
    std::size_t generating = 0;
    std::size_t prompt_tokens = 0;
    /// Guesses that were evaluated with the generating slots' tokens.
    std::size_t drafted = 0;
    /// Of the prompt tokens in their sequences, on average.
    std::size_t position = 0;
};

class PromptPace {
public:
    PromptPace(std::size_t batch, GapTarget target) : batch_(batch), target_(target) {}

    void observe(const StepShape& step, base::Duration took);

    /// How many prompt tokens may ride along with `generating` slots (at least one), from `position` on: 8 … batch. Now
    /// and then 0, to see how long generation takes alone.
    std::size_t tokens(std::size_t generating, std::size_t position,
                       Streams streams = Streams::older_than_the_prompts) const;

    /// How many prompt tokens from `position` on take about as long as this: 128 … batch; the batch while nothing is known.
    std::size_t tokens_within(base::Duration time, std::size_t position) const;

private:
    /// Of up to five numbers, the last ones.
    class Median {
    public:
        void add(double value);
        double value() const;  ///< of two the smaller: the system only ever adds time

    private:
        std::array<double, 5> last_{};
        std::size_t count_ = 0;
    };

    double seconds_alone(std::size_t generating) const;
    double seconds_each(std::size_t position) const;
    void learn_each(double seconds, std::size_t position);

    std::size_t batch_;
    GapTarget target_;
    /// Steps without prompt tokens: generating slots -> seconds.
    std::map<std::size_t, Median> alone_;
    std::size_t steps_since_alone_ = 0;
    /// Of one prompt token at the start of a sequence, and how much more for each position; 0: not known.
    double first_ = 0;
    double growth_ = 0;
    /// Measured and expected cost of the last three samples, as ratios.
    std::array<double, 3> surprises_{1, 1, 1};
    std::size_t samples_ = 0;
};

}  // namespace worker::loop
