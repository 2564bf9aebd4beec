#include "worker/loop/choosing.hpp"

#include <numeric>

namespace worker::loop {

std::vector<Progress> Choosing::take_on_all(std::span<const Due> due, std::size_t context_tokens) {
    std::vector<Progress> progresses(due.size());
    std::vector<base::Duration> took(due.size());
    const auto choose = [&](std::size_t index) {
        const auto begin = clock_.now();
        progresses[index] = take_on(due[index].run, due[index].first_output, context_tokens);
        took[index] = clock_.now() - begin;
    };
    const auto parts = static_cast<std::ptrdiff_t>(due.size());
    if (parts > 1 && took_ * (parts - 1) >= worth_helping_) {
        crew_.each(due.size(), choose);
    } else {
        for (std::size_t index = 0; index < due.size(); ++index) {
            choose(index);
        }
    }
    if (parts > 0) {
        const auto average = std::accumulate(took.begin(), took.end(), base::Duration{}) / parts;
        took_ = (3 * took_ + average) / 4;
    }
    return progresses;
}

}  // namespace worker::loop
