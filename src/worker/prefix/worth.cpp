#include "worker/prefix/worth.hpp"

#include <algorithm>

namespace worker::prefix {
namespace {

// Not measured: attention grows with the depth, products do not, and this is about where they meet in small models.
constexpr double depth_of_double_cost = 4096;

// A prompt that thousands of requests used an hour ago is to go some day.
constexpr std::uint32_t most_times = 32;

}  // namespace

double cost_to_evaluate(std::size_t from, std::size_t to) {
    const auto first = static_cast<double>(from);
    const auto last = static_cast<double>(to);
    return (last - first) * (1 + (first + last) / 2 / depth_of_double_cost);
}

void Use::again(Clock& clock) {
    at = clock.now();
    order = clock.next_use();
    times = std::min(times + 1, most_times);
}

double Use::worth(double cost, std::size_t size) const {
    return size == 0 ? 0 : at + times * cost / static_cast<double>(size);
}

}  // namespace worker::prefix
