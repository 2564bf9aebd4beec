#include "worker/loop/embedding_line.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "base/log.hpp"
#include "worker/loop/events.hpp"

namespace worker::loop {

using engine::Decoded;

namespace {

// Before anything was measured, and so few that it is never in vain.
constexpr std::size_t first_budget = 64;
constexpr std::size_t smallest_budget = 16;

const base::Error broken{.code = base::ErrorCode::internal, .message = "The engine failed while it ran this job."};

}  // namespace

EmbeddingLine::EmbeddingLine(engine::Embedder* embedder, Cancellations& cancellations, Endings& endings,
                             const base::Clock& clock)
    : embedder_(embedder), cancellations_(cancellations), endings_(endings), clock_(clock) {
    const std::size_t sequences = embedder == nullptr ? 0 : embedder->limits().sequences;
    for (std::size_t sequence = sequences; sequence > 0; --sequence) {
        free_sequences_.push_back(static_cast<engine::Sequence>(sequence - 1));
    }
}

void EmbeddingLine::add(EmbeddingOrder order) {
    auto entry = std::make_unique<Entry>(Entry{.job = {}, .turn = {}, .inputs = std::move(order.inputs)});
    entry->job.id = std::move(order.id);
    entry->job.weight = order.weight;
    entry->job.deadline = order.deadline;
    entry->job.adapters = std::move(order.adapters);
    entry->job.sink = std::move(order.sink);
    entry->job.arrived = order.arrived;
    entry->unfinished = entry->inputs.size();
    entry->turn = {
        .priority = order.priority, .tenant = std::move(order.tenant), .number = arrivals_++, .since = order.arrived};
    line_.add(entry->turn, entry.get());
    jobs_.push_back(std::move(entry));
}

void EmbeddingLine::drop_cancelled_or_late() {
    const auto now = clock_.now();
    std::ranges::for_each(jobs_, [&](const auto& entry) { endings_.fail_if_cancelled_or_late(entry->job, now); });
    remove_ended();
}

void EmbeddingLine::step(base::Duration within) {
    if (jobs_.empty()) {
        return;
    }
    plan(tokens_within(within));
    if (!batch_.empty()) {
        std::set<std::string, std::less<>> ids;
        std::ranges::for_each(parts_, [&](const Part& part) { ids.insert(part.entry->job.id); });
        embedder_->use(parts_.front().entry->job.adapters);
        const auto begin = clock_.now();
        cancellations_.step_begins(std::move(ids));
        const auto decoded = embedder_->evaluate(batch_, cancellations_.abort());
        cancellations_.step_ends();
        if (decoded == Decoded::done) {
            const double measured = base::seconds(clock_.now() - begin) / static_cast<double>(batch_.size());
            seconds_per_token_ = seconds_per_token_ == 0 ? measured : 0.7 * seconds_per_token_ + 0.3 * measured;
            advance();
        } else if (decoded == Decoded::aborted) {
            start_again();
        } else {
            base::log::error("a step of embeddings failed", {{"tokens", batch_.size()}, {"inputs", parts_.size()}});
            std::ranges::for_each(parts_, [&](const Part& part) { endings_.fail(part.entry->job, broken); });
        }
    }
    for (const auto& entry : jobs_) {
        if (!entry->job.ended && entry->unfinished == 0) {
            endings_.finish(entry->job);
        }
    }
    remove_ended();
}

std::size_t EmbeddingLine::tokens_within(base::Duration time) const {
    if (seconds_per_token_ == 0) {
        return first_budget;
    }
    const double tokens = std::min(base::seconds(time) / seconds_per_token_, 1e9);
    return std::max(static_cast<std::size_t>(tokens), smallest_budget);
}

void EmbeddingLine::plan(std::size_t budget) {
    parts_.clear();
    batch_.clear();
    budget = std::min(budget, embedder_->limits().batch_tokens);
    line_.first(clock_.now(), [&](const base::Turn&, Entry* entry) {
        if (parts_.empty() || parts_.front().entry->job.adapters == entry->job.adapters) {
            budget -= std::min(add_parts(*entry, budget), budget);
        }
        return budget == 0;
    });
    for (const Part& part : parts_) {
        line_.charge(part.entry->turn.tenant, part.entry->job.weight, static_cast<double>(part.tokens));
    }
}

std::size_t EmbeddingLine::add_parts(Entry& entry, std::size_t budget) {
    std::size_t added = 0;
    for (std::size_t input = 0; input < entry.under_way.size() && added < budget; ++input) {
        added += add_part(entry, input, budget - added);
    }
    while (added < budget && begin_input(entry, budget - added)) {
        added += add_part(entry, entry.under_way.size() - 1, budget - added);
    }
    return added;
}

// An input that cannot be divided runs whole, the first of a step even beyond the budget.
std::size_t EmbeddingLine::add_part(Entry& entry, std::size_t input, std::size_t budget) {
    const Input& chosen = entry.under_way[input];
    const auto& tokens = entry.inputs[chosen.index];
    const std::size_t pending = tokens.size() - chosen.evaluated;
    const std::size_t count = embedder_->limits().divisible ? std::min(pending, budget) : pending;
    for (std::size_t offset = 0; offset < count; ++offset) {
        const std::size_t position = chosen.evaluated + offset;
        batch_.push_back(
            {.token = tokens[position], .sequence = chosen.sequence, .position = static_cast<std::int32_t>(position)});
    }
    parts_.push_back({.entry = &entry, .input = input, .tokens = count});
    return count;
}

bool EmbeddingLine::begin_input(Entry& entry, std::size_t budget) {
    if (entry.next == entry.inputs.size() || free_sequences_.empty()) {
        return false;
    }
    const auto& limits = embedder_->limits();
    const std::size_t tokens = entry.inputs[entry.next].size();
    const bool fits =
        limits.divisible || batch_.empty() || (tokens <= budget && batch_.size() + tokens <= limits.batch_tokens);
    if (!fits || used_cells_ + tokens > limits.cells) {
        return false;
    }
    if (!entry.job.started) {
        entry.job.started = clock_.now();
        entry.job.sink->on_event(started(*entry.job.started - entry.job.arrived));
    }
    entry.under_way.push_back({.index = entry.next++, .sequence = free_sequences_.back()});
    free_sequences_.pop_back();
    used_cells_ += tokens;
    return true;
}

void EmbeddingLine::advance() {
    auto& counters = endings_.counters();
    counters.set_prompt_tokens_evaluated(counters.prompt_tokens_evaluated() + batch_.size());
    for (const Part& part : parts_) {
        Input& input = part.entry->under_way[part.input];
        input.evaluated += part.tokens;
        if (input.evaluated == part.entry->inputs[input.index].size()) {
            deliver(*part.entry, input);
        }
    }
    for (const Part& part : parts_) {
        std::erase_if(part.entry->under_way,
                      [&](const Input& input) { return input.evaluated == part.entry->inputs[input.index].size(); });
    }
}

void EmbeddingLine::deliver(Entry& entry, const Input& input) {
    const std::size_t tokens = entry.inputs[input.index].size();
    entry.job.usage.set_prompt_tokens(entry.job.usage.prompt_tokens() + static_cast<std::uint32_t>(tokens));
    --entry.unfinished;
    entry.job.sink->on_event(embedding_result(static_cast<std::uint32_t>(input.index),
                                              embedder_->vector_of(input.sequence),
                                              static_cast<std::uint32_t>(tokens)));
    embedder_->clear(input.sequence);
    free_sequences_.push_back(input.sequence);
    used_cells_ -= tokens;
}

// What a step left half done is done again; it stopped because nobody waits for it any more, so mostly nothing is.
void EmbeddingLine::start_again() {
    for (const Part& part : parts_) {
        Input& input = part.entry->under_way[part.input];
        embedder_->clear(input.sequence);
        input.evaluated = 0;
    }
}

void EmbeddingLine::leave(Entry& entry) {
    for (const Input& input : entry.under_way) {
        embedder_->clear(input.sequence);
        free_sequences_.push_back(input.sequence);
        used_cells_ -= entry.inputs[input.index].size();
    }
    line_.remove(entry.turn);
}

void EmbeddingLine::remove_ended() {
    std::erase_if(jobs_, [this](const auto& entry) {
        if (entry->job.ended) {
            leave(*entry);
        }
        return entry->job.ended;
    });
}

}  // namespace worker::loop
