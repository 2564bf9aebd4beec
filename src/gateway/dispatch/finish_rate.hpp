#pragma once

/// How fast a model finishes jobs, and so how long a queue of them takes. Pure.

#include <chrono>
#include <cstddef>
#include <deque>

#include "base/clock.hpp"

namespace gateway::dispatch {

class FinishRate {
public:
    void finished(base::TimePoint now);

    /// How long `jobs` jobs take at the rate of the last finished ones, in whole seconds from 1 to 120; 1 while nothing
    /// is known.
    std::chrono::seconds time_for(std::size_t jobs) const;

private:
    std::deque<base::TimePoint> last_;
};

}  // namespace gateway::dispatch
