#pragma once

/// Adds drafts to a step: which answers guess how many tokens, and what became of the guesses.

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/clock.hpp"
#include "worker/cost/step_cost.hpp"
#include "worker/engine/engine.hpp"
#include "worker/loop/model_drafts.hpp"
#include "worker/loop/prompt_pace.hpp"
#include "worker/loop/run.hpp"

namespace worker::loop {

enum class Speculation { automatic, off };

/// More than so many tokens of one answer in one step never pay.
inline constexpr std::size_t longest_draft = 31;

class Drafting {
public:
    /// `engine`, `cost` and `clock` must outlive this. An engine that cannot go back never has drafts.
    Drafting(engine::TextEngine& engine, const cost::StepCost& cost, Speculation speculation, GapTarget gap,
             const base::Clock& clock);

    /// Gives the runs that generate a draft, where it pays. `plan[i]` tokens of run i are evaluated anyhow. Returns how
    /// long a draft model has computed for it.
    base::Duration draft(std::span<const std::unique_ptr<Run>> runs, std::span<const std::size_t> plan);
    /// The step evaluated the run's draft, and so many of its tokens were the answer's. Counts.
    void count(const Run& run, std::size_t accepted);

    void report(rpc::contract::StatisticsReply& reply) const;

private:
    struct Count {
        std::uint64_t drafted = 0;
        std::uint64_t accepted = 0;
    };

    speculation::Draft guess(Run& run, std::size_t most);

    engine::TextEngine& engine_;
    const cost::StepCost& cost_;
    bool on_;
    GapTarget gap_;
    ModelDrafts model_;
    /// Of all answers: most are too short to find out for themselves that guesses of their format are bad.
    speculation::Acceptance usual_;
    std::array<Count, speculation::sources> counts_;
};

}  // namespace worker::loop
