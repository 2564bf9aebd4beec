#pragma once

/// The steady clock as a dependency, so that tests can move time by hand.

#include <chrono>

namespace base {

using TimePoint = std::chrono::steady_clock::time_point;
using Duration = std::chrono::steady_clock::duration;

class Clock {
public:
    virtual ~Clock() = default;
    virtual TimePoint now() const = 0;
};

class SteadyClock final : public Clock {
public:
    TimePoint now() const override { return std::chrono::steady_clock::now(); }
};

/// For tests: stands still until told.
class ManualClock final : public Clock {
public:
    TimePoint now() const override { return now_; }
    void advance(Duration by) { now_ += by; }

private:
    TimePoint now_{};
};

inline double seconds(Duration duration) {
    return std::chrono::duration<double>(duration).count();
}

}  // namespace base
