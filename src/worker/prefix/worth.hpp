#pragma once

/// What kept tokens are worth, in one unit: the work to evaluate a token at the beginning of a prompt. Who holds memory
/// of limited size gives up first what is worth least for each unit of size, by the rule known as GreedyDual: worth =
/// clock + uses * cost / size. The clock rises to the worth of what went last, so that what is not used again ages.

#include <cstddef>
#include <cstdint>

namespace worker::prefix {

/// What evaluating takes.
class Effort {
public:
    /// Attention looks back: so deep in a sequence a token costs twice as much as the first one. Until that is told, all
    /// tokens cost the same.
    void tell(double depth_of_double_cost) { growth_ = 1 / depth_of_double_cost; }
    /// The work to evaluate tokens [from, to) again.
    double of(std::size_t from, std::size_t to) const;

private:
    double growth_ = 0;
};

/// Compared with evaluating them, what it costs to put saved tokens back.
inline constexpr double cost_of_saved = 0.05;

class Clock {
public:
    double now() const { return now_; }
    /// Something of this worth has been given up.
    void gone(double worth) { now_ = worth > now_ ? worth : now_; }
    std::uint64_t next_use() { return ++uses_; }

private:
    double now_ = 0;
    std::uint64_t uses_ = 0;
};

/// When it was used last, by the clock and in order, and how often.
struct Use {
    double at = 0;
    std::uint64_t order = 0;
    std::uint32_t times = 0;

    void again(Clock& clock);
    /// `cost` and `size` of what would be lost; a size of 0 is worth nothing.
    double worth(double cost, std::size_t size) const;
};

}  // namespace worker::prefix
