#include "worker/loop/adapter_turns.hpp"

#include <algorithm>

namespace worker::loop {

std::vector<engine::AdapterSet> AdapterTurns::in_order(std::span<const std::unique_ptr<Run>> running) {
    std::erase_if(circle_, [&](const engine::AdapterSet& set) {
        return std::ranges::none_of(running, [&](const auto& run) { return run->job->adapters == set; });
    });
    for (const auto& run : running) {
        if (std::ranges::find(circle_, run->job->adapters) == circle_.end()) {
            circle_.push_back(run->job->adapters);
        }
    }
    return circle_;
}

void AdapterTurns::took(const engine::AdapterSet& adapters) {
    if (const auto place = std::ranges::find(circle_, adapters); place != circle_.end()) {
        std::rotate(place, place + 1, circle_.end());
    }
}

}  // namespace worker::loop
