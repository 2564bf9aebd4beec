#pragma once

/// Embedding jobs, one input between two steps, so that running streams wait for one input at most.

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "worker/loop/endings.hpp"

namespace worker::loop {

struct EmbeddingOrder {
    std::string id;
    std::vector<engine::contract::EmbeddingInput> inputs;
    std::shared_ptr<rpc::EventSink> sink;
    base::TimePoint arrived;
};

class EmbeddingLine {
public:
    /// All must outlive this.
    EmbeddingLine(engine::TextEngine& engine, Endings& endings, const base::Clock& clock)
        : engine_(engine), endings_(endings), clock_(clock) {}

    void add(EmbeddingOrder order);
    void drop_cancelled();
    /// Embeds one input of the oldest job.
    void next();
    std::size_t jobs() const { return line_.size(); }

private:
    struct Entry {
        JobInLoop job;
        std::vector<engine::contract::EmbeddingInput> inputs;
        std::size_t next = 0;
    };

    void embed(Entry& entry);

    engine::TextEngine& engine_;
    Endings& endings_;
    const base::Clock& clock_;
    std::deque<Entry> line_;
};

}  // namespace worker::loop
