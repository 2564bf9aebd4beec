#pragma once

/// Of up to five numbers, the last ones: one that something disturbed changes nothing.

#include <algorithm>
#include <array>
#include <cstddef>

namespace worker::cost {

class Median {
public:
    void add(double value) { last_[count_++ % last_.size()] = value; }
    bool empty() const { return count_ == 0; }
    /// Of two the smaller: the system only ever adds time. Not when empty.
    double value() const {
        auto values = last_;
        const auto known = std::min(count_, values.size());
        std::sort(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(known));
        return values[(known - 1) / 2];
    }

private:
    std::array<double, 5> last_{};
    std::size_t count_ = 0;
};

}  // namespace worker::cost
