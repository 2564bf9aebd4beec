#include "gateway/dispatch/finish_rate.hpp"

#include <algorithm>
#include <cmath>

namespace gateway::dispatch {
namespace {

/// Enough to level out short and long jobs, few enough to follow a change within a minute or so.
constexpr std::size_t window = 32;
constexpr double longest_seconds = 120;

}  // namespace

void FinishRate::finished(base::TimePoint now) {
    last_.push_back(now);
    if (last_.size() > window) {
        last_.pop_front();
    }
}

std::chrono::seconds FinishRate::time_for(std::size_t jobs) const {
    if (last_.size() < 2) {
        return std::chrono::seconds(1);
    }
    const double seconds_for_each = base::seconds(last_.back() - last_.front()) / static_cast<double>(last_.size() - 1);
    const double estimate = std::ceil(seconds_for_each * static_cast<double>(jobs));
    return std::chrono::seconds(static_cast<long>(std::clamp(estimate, 1.0, longest_seconds)));
}

}  // namespace gateway::dispatch
