#include "gateway/dispatch/work_rate.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace gateway::dispatch {
namespace {

/// Enough to level out what jobs have in front of and behind them, few enough to follow a change within a minute or so.
constexpr std::size_t window = 32;
constexpr double longest_seconds = 120;

}  // namespace

void WorkRate::begin(base::TimePoint now) {
    if (const auto since = std::exchange(paused_since_, std::nullopt)) {
        paused_ += now - *since;
    }
}

void WorkRate::pause(base::TimePoint now) {
    paused_since_ = now;
}

void WorkRate::finished(base::TimePoint now, double work) {
    last_.push_back({.at = now - paused_, .work = work});
    if (last_.size() > window) {
        last_.pop_front();
    }
}

std::chrono::seconds WorkRate::time_for(double work) const {
    double done = 0;
    for (std::size_t index = 1; index < last_.size(); ++index) {
        done += last_[index].work;
    }
    if (done <= 0) {
        return std::chrono::seconds(1);
    }
    const double estimate = std::ceil(base::seconds(last_.back().at - last_.front().at) * (work / done));
    return std::chrono::seconds(static_cast<long>(std::clamp(estimate, 1.0, longest_seconds)));
}

}  // namespace gateway::dispatch
