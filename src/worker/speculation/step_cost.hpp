#pragma once

/// What a step costs by the number of tokens it evaluates, learned from the steps themselves. On a processor that is
/// far from a straight line: where the weights are read from memory a second token is almost free, where computing is
/// the limit it costs as much as the first, and kernels like some numbers better than others.

#include <cstddef>
#include <vector>

#include "base/clock.hpp"

namespace worker::speculation {

class StepCost {
public:
    /// Steps of more than `most` tokens are not looked at.
    explicit StepCost(std::size_t most) : seconds_(most + 1) {}

    void observe(std::size_t tokens, base::Duration took);
    /// Of a step of 1 … most tokens: measured, or between its measured neighbours, or assumed from the last of them.
    /// 0 when nothing is measured.
    double seconds(std::size_t tokens) const;

    std::size_t most() const { return seconds_.size() - 1; }

private:
    std::size_t measured_below(std::size_t tokens) const;
    std::size_t measured_above(std::size_t tokens) const;

    std::vector<double> seconds_;  // by tokens; 0 where none was measured
};

}  // namespace worker::speculation
