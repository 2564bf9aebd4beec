#include "worker/prefix/worth.hpp"

#include <algorithm>

namespace worker::prefix {
namespace {

// A prompt that thousands of requests used an hour ago is to go some day.
constexpr std::uint32_t most_times = 32;

}  // namespace

double Effort::of(std::size_t from, std::size_t to) const {
    const auto first = static_cast<double>(from);
    const auto last = static_cast<double>(to);
    return (last - first) * (1 + growth_ * (first + last) / 2);
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
