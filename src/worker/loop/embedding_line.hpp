#pragma once

/// Embedding jobs, a bounded number of tokens between two steps. Which job is next: larger priority first, then fair
/// between tenants by what their tokens are, then first come (base/fair_line.hpp). Inputs of one job, and of several
/// jobs, are evaluated together as far as the engine takes them; a long input is spread over several steps where the
/// engine can go on with it. A step is for the adapters of the job that is next; those with others wait for theirs.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/fair_line.hpp"
#include "worker/loop/endings.hpp"

namespace worker::loop {

struct EmbeddingOrder {
    std::string id;
    std::int32_t priority = 0;
    std::string tenant;
    double weight = 1;
    /// When it is too late for an answer.
    base::TimePoint deadline = base::TimePoint::max();
    engine::AdapterSet adapters;
    /// None is empty.
    std::vector<std::vector<engine::Token>> inputs;
    std::shared_ptr<rpc::EventSink> sink;
    base::TimePoint arrived;
};

class EmbeddingLine {
public:
    /// All must outlive this. Without an embedder no job may come.
    EmbeddingLine(engine::Embedder* embedder, Cancellations& cancellations, Endings& endings, const base::Clock& clock);

    void add(EmbeddingOrder order);
    void drop_cancelled_or_late();
    /// Evaluates tokens for about so long, if there are any to evaluate.
    void step(base::Duration within);
    std::size_t jobs() const { return jobs_.size(); }

private:
    struct Input {
        std::size_t index = 0;
        engine::Sequence sequence = 0;
        std::size_t evaluated = 0;
    };

    struct Entry {
        JobInLoop job;
        base::Turn turn;
        std::vector<std::vector<engine::Token>> inputs;
        /// The first one that was never begun.
        std::size_t next = 0;
        std::size_t unfinished = 0;
        std::vector<Input> under_way = {};
    };

    /// A part of an input in the batch.
    struct Part {
        Entry* entry = nullptr;
        std::size_t input = 0;  // in `under_way`
        std::size_t tokens = 0;
    };

    void plan(std::size_t budget);
    std::size_t add_parts(Entry& entry, std::size_t budget);
    std::size_t add_part(Entry& entry, std::size_t input, std::size_t budget);
    bool begin_input(Entry& entry, std::size_t budget);
    std::size_t tokens_within(base::Duration time) const;
    void advance();
    void start_again();
    void deliver(Entry& entry, const Input& input);
    void remove_ended();
    void leave(Entry& entry);

    engine::Embedder* embedder_;
    Cancellations& cancellations_;
    Endings& endings_;
    const base::Clock& clock_;
    std::vector<std::unique_ptr<Entry>> jobs_;
    base::FairLine<Entry*> line_;
    std::uint64_t arrivals_ = 0;
    std::vector<engine::Sequence> free_sequences_;
    std::size_t used_cells_ = 0;
    /// Of the step under way.
    std::vector<Part> parts_;
    std::vector<engine::BatchToken> batch_;
    /// As measured; 0 before the first step.
    double seconds_per_token_ = 0;
};

}  // namespace worker::loop
