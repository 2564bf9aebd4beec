#include "worker/loop/plan.hpp"

#include <algorithm>
#include <tuple>

namespace worker::loop {
namespace {

constexpr std::size_t share_of_the_oldest = 4;  // one part of so many

bool is_prompt(const Need& need) {
    return !need.generating && need.pending > 0;
}

// The slots with prompts, in the order they are served.
std::vector<std::size_t> prompts(std::span<const Need> needs) {
    std::vector<std::size_t> order;
    for (std::size_t slot = 0; slot < needs.size(); ++slot) {
        if (is_prompt(needs[slot])) {
            order.push_back(slot);
        }
    }
    std::ranges::sort(order, {},
                      [&](std::size_t slot) { return std::tuple(-needs[slot].priority, needs[slot].pending, slot); });
    return order;
}

}  // namespace

std::vector<std::size_t> plan_step(std::span<const Need> needs, const StepBudget& budget) {
    std::vector<std::size_t> plan(needs.size());
    std::size_t left = budget.batch;
    for (std::size_t slot = 0; slot < needs.size(); ++slot) {
        if (needs[slot].generating) {
            plan[slot] = std::min(needs[slot].pending, left);
            left -= plan[slot];
        }
    }
    if (left < budget.batch) {
        left = std::min(left, budget.prompt_beside_generation);
    }
    const auto give = [&](std::size_t slot, std::size_t most) {
        const auto tokens = std::min({needs[slot].pending - plan[slot], most, left});
        plan[slot] += tokens;
        left -= tokens;
    };
    if (const auto oldest = std::ranges::find_if(needs, is_prompt); oldest != needs.end()) {
        give(static_cast<std::size_t>(oldest - needs.begin()), (left + share_of_the_oldest - 1) / share_of_the_oldest);
    }
    for (const std::size_t slot : prompts(needs)) {
        give(slot, left);
    }
    return plan;
}

std::size_t first_prompt(std::span<const Need> needs) {
    const auto order = prompts(needs);
    return order.empty() ? needs.size() : order.front();
}

}  // namespace worker::loop
