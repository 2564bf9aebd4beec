#include "worker/loop/prompt_pace.hpp"

#include <algorithm>
#include <cmath>

namespace worker::loop {
namespace {

constexpr std::size_t fewest_tokens = 8;
// Kernels work on several tokens at a time and take the rest one by one: 15, 16 and 17 tokens took 82, 71 and 83 ms (0.5B,
// Q4_K, two generating). A size that stays the same also lets the engine use its graph again.
constexpr std::size_t whole_tiles = 4;
constexpr std::size_t steps_between_looks = 200;
// Of the steps without generating slots those below are dominated by what each step costs.
constexpr std::size_t enough_to_learn_from = 64;
// Below this, steps without generating slots lose more than a few percent to what each step costs.
constexpr std::size_t fewest_of_a_large_step = 128;
// Chosen, not tuned: other values were not compared.
constexpr double ratio_in_a_burst = 12;
constexpr double learning_rate = 0.3;
constexpr double position_scale = 4096;
constexpr double shortest_seconds = 1e-7;

double median(std::array<double, 3> values) {
    std::ranges::sort(values);
    return values[1];
}

}  // namespace

void PromptPace::Median::add(double value) {
    last_[count_++ % last_.size()] = value;
}

double PromptPace::Median::value() const {
    auto values = last_;
    const auto known = std::min(count_, values.size());
    const auto end = values.begin() + static_cast<std::ptrdiff_t>(known);
    std::sort(values.begin(), end);
    return values[(known - 1) / 2];
}

void PromptPace::observe(const StepShape& step, base::Duration duration) {
    const double took = base::seconds(duration);
    const auto tokens = static_cast<double>(step.prompt_tokens);
    if (step.generating == 0) {
        if (step.prompt_tokens >= enough_to_learn_from) {
            learn_each(took / tokens, step.position);
        }
    } else if (step.prompt_tokens == 0) {
        // Guesses make a step longer. That counts only while nothing better is known.
        if (step.drafted == 0 || !alone_.contains(step.generating)) {
            alone_[step.generating].add(took);
        }
        steps_since_alone_ = 0;
    } else {
        ++steps_since_alone_;
        if (!alone_.empty() && step.drafted == 0) {
            learn_each((took - seconds_alone(step.generating)) / tokens, step.position);
        }
    }
}

// A normalised least-mean-squares step (Widrow and Hoff) on the median of the last surprises.
void PromptPace::learn_each(double seconds, std::size_t position) {
    seconds = std::max(seconds, shortest_seconds);
    if (samples_++ == 0) {
        first_ = seconds;
        return;
    }
    const double expected = seconds_each(position);
    surprises_[samples_ % surprises_.size()] = std::clamp(seconds / expected, 0.1, 10.0);
    const double error = expected * (median(surprises_) - 1);
    const double x = static_cast<double>(position) / position_scale;
    const double step = learning_rate * error / (1 + x * x);
    first_ = std::max(first_ + step, shortest_seconds);
    growth_ = std::max(growth_ + step * x / position_scale, 0.0);
}

double PromptPace::seconds_each(std::size_t position) const {
    return first_ + growth_ * static_cast<double>(position);
}

// A count that was never measured: a generating slot more costs about as much as a prompt token.
double PromptPace::seconds_alone(std::size_t generating) const {
    const auto above = alone_.lower_bound(generating);
    if (above != alone_.end() && above->first == generating) {
        return above->second.value();
    }
    if (above == alone_.begin()) {
        const double known = above->second.value();
        return std::max(known - static_cast<double>(above->first - generating) * first_, known / 2);
    }
    const auto below = std::prev(above);
    return below->second.value() + static_cast<double>(generating - below->first) * first_;
}

std::size_t PromptPace::tokens(std::size_t generating, std::size_t position, Streams streams) const {
    if (alone_.empty() || steps_since_alone_ >= steps_between_looks) {
        return 0;
    }
    const auto fewest = std::min(fewest_tokens, batch_);
    if (samples_ == 0) {
        return fewest;
    }
    const double alone = seconds_alone(generating);
    const double ratio =
        streams == Streams::of_the_same_burst ? std::max(target_.ratio, ratio_in_a_burst) : target_.ratio;
    const double longest = std::max(ratio * alone, base::seconds(target_.gap));
    const double fitting = std::min((longest - alone) / seconds_each(position), 1e6);
    const auto step = (generating + static_cast<std::size_t>(std::max(fitting, 0.0))) / whole_tiles * whole_tiles;
    return std::clamp(step > generating ? step - generating : 0, fewest, std::max(batch_, fewest));
}

std::size_t PromptPace::tokens_within(base::Duration time, std::size_t position) const {
    if (samples_ == 0) {
        return batch_;
    }
    const double fitting = std::min(base::seconds(time) / seconds_each(position), 1e6);
    return std::clamp(static_cast<std::size_t>(fitting), std::min(fewest_of_a_large_step, batch_), batch_);
}

}  // namespace worker::loop
