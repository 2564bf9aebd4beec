#pragma once

/// How fast a model finishes jobs while it has some, and so how long a queue of them takes. Pure.

#include <chrono>
#include <cstddef>
#include <deque>
#include <optional>

#include "base/clock.hpp"

namespace gateway::dispatch {

class FinishRate {
public:
    /// The first job after a pause begins; the last before a pause has ended. Pauses do not count.
    void begin(base::TimePoint now);
    void pause(base::TimePoint now);
    void finished(base::TimePoint now);

    /// How long `jobs` jobs take at the rate of the last finished ones, in whole seconds from 1 to 120; 1 while nothing
    /// is known.
    std::chrono::seconds time_for(std::size_t jobs) const;

private:
    /// On a clock that stands still during pauses.
    std::deque<base::TimePoint> last_;
    base::Duration paused_{};
    std::optional<base::TimePoint> paused_since_;
};

}  // namespace gateway::dispatch
