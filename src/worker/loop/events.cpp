#include "worker/loop/events.hpp"

#include <algorithm>
#include <utility>

namespace worker::loop {

using rpc::Event;
namespace contract = rpc::contract;

Event queued(std::uint32_t position) {
    Event event;
    event.mutable_queued()->set_position(position);
    return event;
}

Event started(base::Duration waited) {
    Event event;
    event.mutable_started()->set_queue_seconds(base::seconds(waited));
    return event;
}

Event prompt_progress(const Run& run) {
    Event event;
    auto& progress = *event.mutable_prompt_progress();
    const auto total = static_cast<std::uint32_t>(run.job->prompt_tokens);
    const auto cached = run.job->usage.cached_tokens();
    progress.set_total_tokens(total);
    progress.set_cached_tokens(cached);
    // A run that lost its memory may have less than it found at its start.
    const auto evaluated = std::min(total, static_cast<std::uint32_t>(run.evaluated));
    progress.set_evaluated_tokens(evaluated - std::min(evaluated, cached));
    return event;
}

Event choice_finished(std::uint32_t choice, contract::FinishReason reason, std::string stop) {
    Event event;
    event.mutable_choice_finished()->set_choice(choice);
    event.mutable_choice_finished()->set_reason(reason);
    event.mutable_choice_finished()->set_stop(std::move(stop));
    return event;
}

Event finished(const JobInLoop& job, base::TimePoint now) {
    Event event;
    *event.mutable_finished()->mutable_usage() = job.usage;
    auto& timings = *event.mutable_finished()->mutable_timings();
    const auto started = job.started.value_or(now);
    const auto first = job.first_token.value_or(now);
    timings.set_queue_seconds(base::seconds(started - job.arrived));
    timings.set_prompt_seconds(base::seconds(first - started));
    timings.set_generation_seconds(job.first_token ? base::seconds(job.last_token - first) : 0);
    timings.set_total_seconds(base::seconds(now - job.arrived));
    event.mutable_finished()->set_seed(job.seed);
    return event;
}

Event embedding_result(std::uint32_t index, const std::vector<float>& values, std::uint32_t tokens) {
    Event event;
    auto& result = *event.mutable_embedding();
    result.set_index(index);
    result.set_tokens(tokens);
    result.mutable_values()->Assign(values.begin(), values.end());
    return event;
}

Event prompt_echo(const JobInLoop& job) {
    Event event;
    auto& echo = *event.mutable_prompt_echo();
    echo.set_text(job.echo->text);
    if (!job.scored.empty()) {
        const auto hidden = static_cast<std::ptrdiff_t>(std::min(job.echo->hidden_tokens, job.scored.size()));
        echo.mutable_tokens()->Assign(job.scored.begin() + hidden, job.scored.end());
        echo.set_first_is_unconditioned(hidden == 0);
    }
    return event;
}

Event tokens_result(engine::TokenTexts texts) {
    Event event;
    auto& result = *event.mutable_tokens();
    result.mutable_ids()->Assign(texts.tokens.begin(), texts.tokens.end());
    for (std::string& piece : texts.pieces) {
        result.add_pieces(std::move(piece));
    }
    result.set_text(std::move(texts.text));
    return event;
}

std::vector<Event> deltas(std::uint32_t choice, std::vector<engine::Part> parts,
                          std::vector<contract::TokenInfo> tokens) {
    std::vector<Event> events;
    for (engine::Part& part : parts) {
        Event event;
        const auto tell_tokens = [&tokens](auto& delta) {
            delta.mutable_tokens()->Assign(std::make_move_iterator(tokens.begin()),
                                           std::make_move_iterator(tokens.end()));
            tokens.clear();
        };
        if (auto* content = std::get_if<engine::ContentPart>(&part)) {
            auto& delta = *event.mutable_text();
            delta.set_choice(choice);
            delta.set_text(std::move(content->text));
            tell_tokens(delta);
        } else if (auto* reasoning = std::get_if<engine::ReasoningPart>(&part)) {
            auto& delta = *event.mutable_reasoning();
            delta.set_choice(choice);
            delta.set_text(std::move(reasoning->text));
            tell_tokens(delta);
        } else if (auto* call = std::get_if<engine::ToolCallPart>(&part)) {
            auto& delta = *event.mutable_tool_call();
            delta.set_choice(choice);
            delta.set_index(call->index);
            delta.set_id(std::move(call->id));
            delta.set_name(std::move(call->name));
            delta.set_arguments(std::move(call->arguments));
            tell_tokens(delta);
        }
        events.push_back(std::move(event));
    }
    return events;
}

}  // namespace worker::loop
