#include "worker/speculation/acceptance.hpp"

namespace worker::speculation {
namespace {

// What is assumed at first counts as much as so many observations, and old ones fade.
constexpr double weight_of_assumption = 4;
constexpr double keeps = 0.95;

constexpr double assumed[sources][6] = {
    {0.3, 0.45, 0.6, 0.7, 0.8, 0.9},       // lookup
    {0.6, 0.6, 0.7, 0.8, 0.9, 0.95},       // prediction
    {0.7, 0.9, 0.9, 0.9, 0.9, 0.97},       // format
    {0.75, 0.75, 0.75, 0.75, 0.75, 0.75},  // model
};

}  // namespace

Acceptance::Acceptance() {
    for (std::size_t source = 0; source < sources; ++source) {
        for (std::size_t level = 0; level < levels; ++level) {
            estimates_[source][level] = {.tries = weight_of_assumption,
                                         .hits = weight_of_assumption * assumed[source][level]};
        }
    }
}

void Acceptance::begin_like(const Acceptance& usual, Source source) {
    const auto index = static_cast<std::size_t>(source);
    for (std::size_t level = 0; level < levels; ++level) {
        const Estimate& estimate = usual.estimates_[index][level];
        estimates_[index][level] = {.tries = weight_of_assumption,
                                    .hits = weight_of_assumption * estimate.hits / estimate.tries};
    }
}

double Acceptance::chance(Source source, std::size_t agreed) const {
    const Estimate& estimate = estimates_[static_cast<std::size_t>(source)][level_of(agreed)];
    return estimate.hits / estimate.tries;
}

void Acceptance::observe(Source source, std::size_t agreed, bool came_true) {
    Estimate& estimate = estimates_[static_cast<std::size_t>(source)][level_of(agreed)];
    estimate.tries = keeps * estimate.tries + 1;
    estimate.hits = keeps * estimate.hits + (came_true ? 1 : 0);
}

std::size_t Acceptance::level_of(std::size_t agreed) {
    constexpr std::size_t bounds[levels - 1] = {3, 4, 6, 9, 17};
    std::size_t level = 0;
    while (level < levels - 1 && agreed >= bounds[level]) {
        ++level;
    }
    return level;
}

}  // namespace worker::speculation
