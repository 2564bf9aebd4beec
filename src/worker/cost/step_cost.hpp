#pragma once

/// What a step costs by what it evaluates, learned from the steps themselves.
///
/// The model has two parts. Tokens of answers, guesses among them, cost what steps with so many of them took: on a
/// processor that is far from a straight line, since where the weights are read from memory a second token is almost free,
/// where computing is the limit it costs as much as the first, and kernels like some numbers better than others. Each
/// prompt token comes on top, in a straight line. Attention looks back, so both grow with the position in the sequence.
///
/// A step from which the system stole time changes nothing, or little.

#include <cstddef>
#include <optional>
#include <vector>

#include "base/clock.hpp"
#include "worker/cost/median.hpp"

namespace worker::cost {

/// What a step evaluates.
struct StepShape {
    /// Answers that go on, one token each, and guesses that are evaluated with these tokens.
    std::size_t generating = 0;
    std::size_t drafted = 0;
    /// Of those, their position in their sequences on average.
    std::size_t depth = 0;
    std::size_t prompt_tokens = 0;
    /// Of the prompt tokens, on average.
    std::size_t position = 0;
};

class StepCost {
public:
    /// Steps with more than `most` tokens of answers teach nothing about these.
    explicit StepCost(std::size_t most) : generation_(most + 1) {}

    void observe(const StepShape& step, base::Duration took);

    /// Seconds; 0 while nothing is known that it could be estimated from.
    double seconds(const StepShape& step) const;
    /// Seconds of one prompt token; 0 while none was measured.
    double prompt_token(std::size_t position) const { return first_ + growth_ * static_cast<double>(position); }
    /// At which position a token costs twice as much as at the beginning. Nothing while that is not known.
    std::optional<double> depth_of_double_cost() const;

    /// Most tokens of answers in a step that are told apart.
    std::size_t most() const { return generation_.size() - 1; }

private:
    double generation(std::size_t tokens) const;
    double further_token(double one) const;
    double attention(const StepShape& step) const;
    void learn_prompt_token(double seconds, std::size_t position);

    /// By the number of tokens; without what attention takes beyond the beginning of a sequence.
    std::vector<Median> generation_;
    /// Of one prompt token at the start of a sequence, and how much more for each position; 0: not known.
    double first_ = 0;
    double growth_ = 0;
    std::size_t samples_ = 0;
    std::size_t deepest_ = 0;
};

}  // namespace worker::cost
