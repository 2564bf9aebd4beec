#include "worker/speculation/step_cost.hpp"

#include <algorithm>

namespace worker::speculation {
namespace {

// Assumed of a token beyond those measured, in parts of a one-token step: the better kernels for many tokens make it
// cheaper than the first one; the second one costs most, since it is not yet worth them.
constexpr double second_token = 1.0;
constexpr double further_token = 0.25;
// A step that something else held up says little.
constexpr double largest_surprise = 2;

double assumed(std::size_t tokens) {
    return tokens <= 1 ? 1 : 1 + second_token + further_token * static_cast<double>(tokens - 2);
}

}  // namespace

void StepCost::observe(std::size_t tokens, base::Duration took) {
    if (tokens == 0 || tokens > most()) {
        return;
    }
    double& average = seconds_[tokens];
    const double seconds = base::seconds(took);
    average = average == 0 ? seconds : 0.8 * average + 0.2 * std::min(seconds, largest_surprise * average);
}

double StepCost::seconds(std::size_t tokens) const {
    const std::size_t below = measured_below(tokens);
    if (below == tokens) {
        return seconds_[tokens];
    }
    const std::size_t above = measured_above(tokens);
    if (below != 0 && above != 0) {
        const double part = static_cast<double>(tokens - below) / static_cast<double>(above - below);
        return seconds_[below] + part * (seconds_[above] - seconds_[below]);
    }
    const std::size_t known = below != 0 ? below : above;
    return known == 0 ? 0 : seconds_[known] * assumed(tokens) / assumed(known);
}

std::size_t StepCost::measured_below(std::size_t tokens) const {
    while (tokens > 0 && seconds_[tokens] == 0) {
        --tokens;
    }
    return tokens;
}

std::size_t StepCost::measured_above(std::size_t tokens) const {
    while (tokens <= most() && seconds_[tokens] == 0) {
        ++tokens;
    }
    return tokens <= most() ? tokens : 0;
}

}  // namespace worker::speculation
