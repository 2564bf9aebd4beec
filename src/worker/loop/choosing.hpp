#pragma once

/// Takes all answers of a step on, side by side where that is worth waking other threads.

#include <cstddef>
#include <span>
#include <vector>

#include "base/clock.hpp"
#include "worker/loop/answering.hpp"
#include "worker/loop/crew.hpp"
#include "worker/loop/run.hpp"

namespace worker::loop {

/// A run whose next token can be chosen now, from the distribution at `first_output` of the last step.
struct Due {
    Run& run;
    std::size_t first_output;
};

class Choosing {
public:
    /// `helpers` threads beside the caller's, woken where choosing in turn would take longer by `worth_helping`.
    Choosing(const base::Clock& clock, std::size_t helpers, base::Duration worth_helping)
        : clock_(clock), crew_(helpers), worth_helping_(worth_helping) {}

    /// See `take_on`.
    std::vector<Progress> take_on_all(std::span<const Due> due, std::size_t context_tokens);

private:
    const base::Clock& clock_;
    Crew crew_;
    const base::Duration worth_helping_;
    /// For one answer, in the last steps.
    base::Duration took_{};
};

}  // namespace worker::loop
