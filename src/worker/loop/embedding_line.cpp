#include "worker/loop/embedding_line.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "worker/loop/events.hpp"

namespace worker::loop {

void EmbeddingLine::add(EmbeddingOrder order) {
    JobInLoop job;
    job.id = std::move(order.id);
    job.sink = std::move(order.sink);
    job.arrived = order.arrived;
    line_.push_back({.job = std::move(job), .inputs = std::move(order.inputs)});
}

void EmbeddingLine::drop_cancelled() {
    std::ranges::for_each(line_, [this](Entry& entry) { endings_.fail_if_cancelled(entry.job); });
    std::erase_if(line_, [](const Entry& entry) { return entry.job.ended; });
}

void EmbeddingLine::next() {
    if (line_.empty()) {
        return;
    }
    Entry& entry = line_.front();
    if (!entry.job.started) {
        entry.job.started = clock_.now();
        entry.job.sink->on_event(started(*entry.job.started - entry.job.arrived));
    }
    if (entry.next < entry.inputs.size()) {
        embed(entry);
    }
    if (!entry.job.ended && entry.next == entry.inputs.size()) {
        endings_.finish(entry.job);
    }
    if (entry.job.ended) {
        line_.pop_front();
    }
}

void EmbeddingLine::embed(Entry& entry) {
    const std::size_t index = entry.next++;
    auto embedding = engine_.embed(entry.inputs[index]);
    if (!embedding) {
        if (embedding.error().code != base::ErrorCode::unsupported) {
            embedding.error().param = fmt::format("embedding.inputs[{}]", index);
        }
        endings_.fail(entry.job, embedding.error());
        return;
    }
    entry.job.usage.set_prompt_tokens(entry.job.usage.prompt_tokens() + embedding->tokens);
    auto& counters = endings_.counters();
    counters.set_prompt_tokens_evaluated(counters.prompt_tokens_evaluated() + embedding->tokens);
    entry.job.sink->on_event(embedding_result(static_cast<std::uint32_t>(index), std::move(*embedding)));
}

}  // namespace worker::loop
