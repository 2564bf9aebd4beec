#include "worker/loop/answering.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/log.hpp"
#include "worker/loop/events.hpp"

namespace worker::loop {

namespace contract = rpc::contract;

namespace {

const base::Error dead_end{.code = base::ErrorCode::invalid,
                           .message = "No text of this model can follow the output format any further.",
                           .param = "output_format"};
const base::Error broken{.code = base::ErrorCode::internal, .message = "The engine failed while it ran this job."};

// Text that follows text travels with it.
void add_event(std::vector<rpc::Event>& events, rpc::Event event) {
    if (event.has_text() && !events.empty() && events.back().has_text()) {
        auto& text = *events.back().mutable_text();
        text.mutable_text()->append(event.text().text());
        text.mutable_tokens()->MergeFrom(event.text().tokens());
        return;
    }
    events.push_back(std::move(event));
}

// The parser of an answer may keep text for later: its tokens are told, and counted, with the parts that come of it.
void tell(Run& run, std::vector<engine::Part> parts, Progress& progress) {
    if (parts.empty()) {
        return;
    }
    for (auto& event : deltas(run.choice, std::move(parts), std::exchange(run.untold_infos, {}))) {
        run.called_tools = run.called_tools || event.has_tool_call();
        const auto tokens = std::exchange(run.untold_tokens, 0U);
        if (event.has_reasoning()) {
            progress.reasoning_tokens += tokens;
        }
        add_event(progress.events, std::move(event));
    }
}

void tell(Run& run, Released released, Progress& progress) {
    if (!released.text.empty() || !released.tokens.empty()) {
        std::ranges::move(released.tokens, std::back_inserter(run.untold_infos));
        tell(run, run.answer->read(released.text), progress);
    }
}

void finish(Run& run, contract::FinishReason reason, Progress& progress, std::string stop = {}) {
    tell(run, run.answer->finish(), progress);
    if (!run.untold_infos.empty()) {
        tell(run, {engine::ContentPart{}}, progress);  // of tokens that show nothing, such as the end of a tool call
    }
    run.finished = true;
    progress.finished = true;
    const bool by_tools = run.called_tools && reason == contract::STOP;
    progress.events.push_back(choice_finished(run.choice, by_tools ? contract::TOOL_CALLS : reason, std::move(stop)));
}

Released push(Run& run, engine::Token token, std::size_t output) {
    const std::string bytes = run.answer->piece(token);
    if (!run.job->logprobs) {
        return run.stream.push(bytes);
    }
    const auto info = run.answer->describe(output, token, run.job->top_logprobs);
    return run.stream.push(bytes, &info);
}

// The token chosen, or nothing when it ends the answer.
std::optional<engine::Token> choose_token(Run& run, std::size_t output, std::size_t context_tokens,
                                          Progress& progress) {
    const JobInLoop& job = *run.job;
    if (job.max_tokens == 0) {
        finish(run, contract::LENGTH, progress);
        return std::nullopt;
    }
    const bool may_end = !job.ignore_end && run.generated >= job.min_tokens;
    const auto token = run.answer->sample(output, may_end);
    ++run.generated;
    ++run.untold_tokens;
    ++progress.tokens;
    if (run.answer->is_end(token) && may_end) {
        tell(run, run.stream.finish(), progress);
        finish(run, contract::STOP, progress);
        return std::nullopt;
    }
    run.tokens.push_back(token);
    Released released = push(run, token, output);
    std::string stop = released.stop;
    tell(run, std::move(released), progress);
    if (!stop.empty()) {
        finish(run, contract::STOP, progress, std::move(stop));
        return std::nullopt;
    }
    if (run.generated >= job.max_tokens || run.tokens.size() >= context_tokens) {
        tell(run, run.stream.finish(), progress);
        finish(run, contract::LENGTH, progress);
        return std::nullopt;
    }
    return token;
}

}  // namespace

Progress take_on(Run& run, std::size_t first_output, std::size_t context_tokens) {
    Progress progress;
    // An exception here is the engine's, about this answer only.
    try {
        const auto& draft = run.draft.tokens;
        while (const auto token = choose_token(run, first_output + progress.accepted, context_tokens, progress)) {
            if (progress.accepted == draft.size() || draft[progress.accepted] != *token) {
                break;
            }
            ++progress.accepted;
        }
    } catch (const engine::FormatDeadEnd& problem) {
        base::log::debug("a format has a dead end", {{"job", run.job->id}, {"problem", problem.what()}});
        progress.failure = dead_end;
    } catch (const std::exception& problem) {
        base::log::error("an answer failed", {{"job", run.job->id}, {"problem", problem.what()}});
        progress.failure = broken;
    }
    return progress;
}

}  // namespace worker::loop
