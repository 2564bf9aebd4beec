#pragma once

/// How fast a model does its work while it has some, and so how long a queue takes. Pure.

#include <chrono>
#include <deque>
#include <optional>

#include "base/clock.hpp"

namespace gateway::dispatch {

class WorkRate {
public:
    /// The first job after a pause begins; the last before a pause has ended. Pauses do not count.
    void begin(base::TimePoint now);
    void pause(base::TimePoint now);
    /// A job is done; `work` in any unit, but always the same.
    void finished(base::TimePoint now, double work);

    /// How long so much work takes at the rate of the last finished jobs, in whole seconds from 1 to 120; 1 while nothing
    /// is known.
    std::chrono::seconds time_for(double work) const;

private:
    struct Done {
        base::TimePoint at;  // on a clock that stands still during pauses
        double work = 0;
    };

    std::deque<Done> last_;
    base::Duration paused_{};
    std::optional<base::TimePoint> paused_since_;
};

}  // namespace gateway::dispatch
