#include "worker/cost/step_cost.hpp"

#include <algorithm>
#include <cmath>

namespace worker::cost {
namespace {

// Of the steps without generating slots those below are dominated by what each step costs.
constexpr std::size_t enough_to_learn_from = 64;
// Assumed of a further token of an answer, as a part of the first one, until a prompt tells what a token costs.
constexpr double further_part = 0.4;
constexpr double learning_rate = 0.3;
constexpr double position_scale = 4096;
// In parts of what was expected: a step that was held up teaches no more than this.
constexpr double largest_surprise = 0.25;
constexpr double shortest_seconds = 1e-7;
// Only tokens of this depth tell how cost grows.
constexpr std::size_t deep_enough = 512;

std::size_t tokens_of_answers(const StepShape& step) {
    return step.generating + step.drafted;
}

}  // namespace

void StepCost::observe(const StepShape& step, base::Duration duration) {
    const double took = base::seconds(duration);
    const auto prompt_tokens = static_cast<double>(step.prompt_tokens);
    const auto tokens = tokens_of_answers(step);
    if (tokens == 0) {
        if (step.prompt_tokens >= enough_to_learn_from) {
            learn_prompt_token(took / prompt_tokens, step.position);
        }
    } else if (step.prompt_tokens == 0) {
        if (tokens <= most()) {
            generation_[tokens].add(std::max({took - attention(step), took / 2, shortest_seconds}));
        }
    } else if (const double answers = generation(tokens); answers > 0) {
        learn_prompt_token((took - answers - attention(step)) / prompt_tokens, step.position);
    }
}

double StepCost::seconds(const StepShape& step) const {
    const auto tokens = tokens_of_answers(step);
    const double answers = tokens == 0 ? 0 : generation(tokens);
    if (tokens > 0 && answers == 0) {
        return 0;
    }
    return answers + (tokens == 0 ? 0 : attention(step)) +
           static_cast<double>(step.prompt_tokens) * prompt_token(step.position);
}

// Of the tokens of answers, what it takes more than at the beginning of a sequence.
double StepCost::attention(const StepShape& step) const {
    return growth_ * static_cast<double>(tokens_of_answers(step)) * static_cast<double>(step.depth);
}

// Measured, or between its measured neighbours, or so many tokens more or fewer than the nearest one.
double StepCost::generation(std::size_t tokens) const {
    std::size_t below = std::min(tokens, most());
    while (below > 0 && generation_[below].empty()) {
        --below;
    }
    if (below == tokens) {
        return generation_[tokens].value();
    }
    std::size_t above = tokens;
    while (above <= most() && generation_[above].empty()) {
        ++above;
    }
    const auto distance = [](std::size_t from, std::size_t to) { return static_cast<double>(to - from); };
    if (below > 0 && above <= most()) {
        const double low = generation_[below].value();
        return low + distance(below, tokens) / distance(below, above) * (generation_[above].value() - low);
    }
    if (below > 0) {
        const double known = generation_[below].value();
        return known + distance(below, tokens) * further_token(known / (1 + further_part * distance(1, below)));
    }
    if (above <= most()) {
        const double known = generation_[above].value();
        const double one = known / (1 + further_part * distance(1, above));
        return std::max(known - distance(tokens, above) * further_token(one), known / 2);
    }
    return 0;
}

double StepCost::further_token(double one) const {
    return first_ > 0 ? first_ : further_part * one;
}

// A normalised least-mean-squares step (Widrow and Hoff).
void StepCost::learn_prompt_token(double seconds, std::size_t position) {
    seconds = std::max(seconds, shortest_seconds);
    deepest_ = std::max(deepest_, position);
    if (samples_++ == 0) {
        first_ = seconds;
        return;
    }
    const double expected = prompt_token(position);
    const double error = std::clamp(seconds - expected, -largest_surprise * expected, largest_surprise * expected);
    const double x = static_cast<double>(position) / position_scale;
    const double step = learning_rate * error / (1 + x * x);
    first_ = std::max(first_ + step, shortest_seconds);
    growth_ = std::max(growth_ + step * x / position_scale, 0.0);
}

std::optional<double> StepCost::depth_of_double_cost() const {
    if (deepest_ < deep_enough || growth_ <= 0) {
        return std::nullopt;
    }
    return first_ / growth_;
}

}  // namespace worker::cost
