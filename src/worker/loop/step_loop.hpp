#pragma once

/// The text worker's heart: takes prepared jobs, and in each step decides what to evaluate, has it evaluated, chooses
/// the next tokens and tells the jobs' sinks. One thread owns it and the engine; nothing here waits.
///
/// Continuous batching: a job joins the next step as soon as a slot and cells are free, and leaves with its last token.
/// Answers that share a prefix evaluate it once: a run waits while another one evaluates what it needs too. When cells
/// run out, kept prefixes go first; then the youngest run gives up its memory and evaluates its tokens again later.
/// Answers with different adapters have steps of their own, in turn.

#include <cstdint>
#include <memory>
#include <vector>

#include "base/clock.hpp"
#include "worker/cost/step_cost.hpp"
#include "worker/engine/engine.hpp"
#include "worker/loop/adapter_turns.hpp"
#include "worker/loop/answering.hpp"
#include "worker/loop/cancellations.hpp"
#include "worker/loop/choosing.hpp"
#include "worker/loop/drafting.hpp"
#include "worker/loop/embedding_line.hpp"
#include "worker/loop/endings.hpp"
#include "worker/loop/line.hpp"
#include "worker/loop/memory.hpp"
#include "worker/loop/pinned_prompts.hpp"
#include "worker/loop/plan.hpp"
#include "worker/loop/prompt_pace.hpp"
#include "worker/loop/run.hpp"

namespace worker::loop {

struct LoopSettings {
    GapTarget gap;
    Archive::Limits archive;
    Speculation speculation = Speculation::automatic;
    /// Threads that choose tokens beside the loop's, where several answers are due and choosing takes long.
    std::size_t sampling_helpers = 0;
    /// What choosing in turn must take longer than it would in parallel for the helpers to be woken.
    base::Duration worth_helping = std::chrono::microseconds(150);
};

class StepLoop {
public:
    /// The first three must outlive the loop.
    StepLoop(engine::TextEngine& engine, Cancellations& cancellations, const base::Clock& clock,
             const LoopSettings& settings = {});
    /// Jobs that have not ended hear nothing more.
    ~StepLoop();

    void add(TextOrder order);
    /// Only where the engine has an embedder.
    void add(EmbeddingOrder order) { embeddings_.add(std::move(order)); }
    void add(PinOrder order) { pinned_.add(std::move(order)); }

    /// One step. False when there is nothing to do, until a job comes or a file is read (see Archive::Limits::on_read).
    bool step();
    /// Whether `step` waits for files.
    bool reading() const { return memory_.fetching(); }

    /// Gauges and counters of this moment.
    rpc::contract::StatisticsReply statistics() const;

private:
    using RunPointer = std::unique_ptr<Run>;

    void drop_cancelled();
    bool admit();
    bool must_wait_for_prefix(const Run& run) const;
    void start(RunPointer run, const Memory::Place& place);
    std::size_t promised_cells() const;

    std::vector<std::size_t> plan();
    std::vector<std::size_t> plan_with(const engine::AdapterSet& adapters);
    void charge_generation(const std::vector<std::size_t>& plan);
    std::size_t planned_at_most(const Run& run) const;
    std::size_t scored_at_most() const;
    base::Duration time_beside_answers() const;
    void take_media_on();
    void evaluate_media(Run& run, const engine::MediaPiece& piece);
    bool make_room_for_media(const Run& run, std::size_t tokens);
    void take_checkpoint(Run& run);
    bool preempt_youngest();
    base::Duration draft(const std::vector<std::size_t>& plan);
    std::size_t drafted_tokens() const;
    /// Whether the engine did all of it.
    bool evaluate(const std::vector<std::size_t>& plan);
    bool make_more_room();
    void roll_back(const std::vector<std::size_t>& plan);
    void advance(const std::vector<std::size_t>& plan);
    void score_prompt(Run& run, std::size_t first_output, std::size_t tokens);
    void note_evaluated(Run& run, std::size_t tokens);
    void settle(Run& run, Progress progress);

    void remove_finished();
    void measure(StepShape shape, bool done, base::Duration took);

    engine::TextEngine& engine_;
    Cancellations& cancellations_;
    const base::Clock& clock_;
    Endings endings_;
    EmbeddingLine embeddings_;
    Memory memory_;
    PinnedPrompts pinned_;
    cost::StepCost cost_;
    PromptPace pace_;
    AdapterTurns turns_;
    Drafting drafting_;
    Choosing choosing_;

    /// With a slot, in the order they got it; the last one is preempted first.
    std::vector<RunPointer> running_;
    Line line_;
    std::vector<engine::BatchToken> batch_;
    std::uint64_t arrivals_ = 0;
    std::size_t failures_for_room_ = 0;
};

}  // namespace worker::loop
