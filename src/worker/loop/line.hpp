#pragma once

/// Runs without a slot, in the order they get one: first those that had one and lost it, in order of arrival; then by
/// priority, fair between tenants, first come first served (base/fair_line.hpp).
///
/// What a run costs its tenant: one for each prompt token that is evaluated for it, four for each token it generates (a
/// guess: generated ones are dearer, less so the more slots share a step). The prompt is charged with the slot, so
/// that a tenant cannot fill all slots before anything of it is known.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "base/fair_line.hpp"
#include "worker/loop/run.hpp"

namespace worker::loop {

class Line {
public:
    using RunPointer = std::unique_ptr<Run>;

    void add(RunPointer run, base::TimePoint now);
    /// A run that lost its slot.
    void give_back(RunPointer run);

    /// The first one that `accept(run)` takes; null when there is none.
    template <typename Accept>
    const Run* first(base::TimePoint now, Accept accept) const {
        for (const RunPointer& run : given_back_) {
            if (accept(std::as_const(*run))) {
                return run.get();
            }
        }
        const Run* found = nullptr;
        line_.first(now, [&](const base::Turn&, const RunPointer& run) {
            found = accept(std::as_const(*run)) ? run.get() : nullptr;
            return found != nullptr;
        });
        return found;
    }

    /// Takes a run out that has a slot now, and charges the part of its prompt that is to be evaluated.
    RunPointer take(const Run& run);
    /// The run has generated so many tokens.
    void charge_generated(const Run& run, std::size_t tokens);

    /// Ends the waiting of runs whose jobs have ended.
    void remove_ended();

    template <typename Visit>
    void for_each(Visit visit) const {
        for (const RunPointer& run : given_back_) {
            visit(*run);
        }
        line_.for_each([&](const base::Turn&, const RunPointer& run) { visit(*run); });
    }

private:
    std::vector<RunPointer> given_back_;  // in order of arrival
    base::FairLine<RunPointer> line_;
    std::uint64_t numbers_ = 0;
};

}  // namespace worker::loop
