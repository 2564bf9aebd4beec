#pragma once

/// Drafts by the engine's draft model, where there is one and where its guesses are worth their time. What making a draft
/// takes is learned, and so is how often it comes true; where it does not pay, the model is not asked.
///
/// The model must have read what it is to continue, and nobody waits for that: it begins to read a text once the answer
/// is so long that it would have gained by then what reading costs, and it reads a piece in each step.

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "base/clock.hpp"
#include "worker/cost/median.hpp"
#include "worker/cost/step_cost.hpp"
#include "worker/engine/engine.hpp"
#include "worker/loop/run.hpp"
#include "worker/speculation/draft_lengths.hpp"

namespace worker::loop {

class ModelDrafts {
public:
    /// What a longer step costs.
    struct Stake {
        const cost::StepShape& step;
        const speculation::DraftRoom& room;
        const cost::StepCost& cost;
    };

    /// Both must outlive this.
    ModelDrafts(engine::TextEngine& engine, const base::Clock& clock);

    /// Replaces those of the guesses that a draft of the model should beat by what such a draft promises. `most[i]` is the
    /// longest draft that run i can use, 0 for none; the others have a drafter that has followed their text.
    void plan(std::span<const std::unique_ptr<Run>> runs, std::span<speculation::Draft> guesses,
              std::span<const std::size_t> most, const Stake& stake);
    /// Makes the drafts that were promised, of these lengths; they may become shorter.
    void make(std::span<const std::unique_ptr<Run>> runs, std::span<speculation::Draft> guesses,
              std::span<const std::size_t> lengths);

    /// How long the model computed since the last `plan` began.
    base::Duration took() const { return took_; }

private:
    double round_seconds(std::size_t answers) const;
    bool ready(const Run& run, double gain, double plain_seconds);
    void catch_up(const Run& run, std::size_t tokens);

    engine::DraftModel* model_;
    const base::Clock& clock_;
    std::vector<bool> promised_;
    base::Duration took_{};
    /// By the number of answers: of one token for each of them.
    std::vector<cost::Median> rounds_;
    /// Of one token that is read; 0 while not known.
    double reading_seconds_ = 0;
};

}  // namespace worker::loop
