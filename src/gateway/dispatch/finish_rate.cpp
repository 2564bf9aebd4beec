#include "gateway/dispatch/finish_rate.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace gateway::dispatch {
namespace {

/// Enough to level out short and long jobs, few enough to follow a change within a minute or so.
constexpr std::size_t window = 32;
constexpr double longest_seconds = 120;

}  // namespace

void FinishRate::begin(base::TimePoint now) {
    if (const auto since = std::exchange(paused_since_, std::nullopt)) {
        paused_ += now - *since;
    }
}

void FinishRate::pause(base::TimePoint now) {
    paused_since_ = now;
}

void FinishRate::finished(base::TimePoint now) {
    last_.push_back(now - paused_);
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
