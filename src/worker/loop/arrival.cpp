#include "worker/loop/arrival.hpp"

#include <fmt/format.h>

#include <utility>

#include "worker/prefix/sequence_store.hpp"

namespace worker::loop {
namespace {

// Never that of what is pinned, and never the same with other adapters: their keys have no line break.
std::string salt_of(const engine::AdapterSet& adapters, const std::string& salt) {
    return adapters.key.empty() ? "job:" + salt
                                : fmt::format("{}{}\n{}", prefix::SequenceStore::apart, adapters.key, salt);
}

}  // namespace

std::shared_ptr<JobInLoop> job_of(TextOrder& order, std::uint64_t number, const engine::Limits& limits) {
    auto job = std::make_shared<JobInLoop>();
    job->id = std::move(order.id);
    job->priority = order.priority;
    job->tenant = std::move(order.tenant);
    job->weight = order.weight;
    job->deadline = order.deadline;
    job->order = number;
    job->salt = salt_of(order.adapters, order.salt);
    job->adapters = std::move(order.adapters);
    job->max_tokens = order.max_tokens.value_or(static_cast<std::uint32_t>(limits.context_tokens));
    job->min_tokens = order.min_tokens;
    job->ignore_end = order.ignore_end;
    job->logprobs = order.logprobs;
    job->top_logprobs = order.top_logprobs;
    job->report_prompt_progress = order.report_prompt_progress;
    job->prompt_tokens = order.prepared.prompt.size();
    job->media = std::move(order.prepared.media);
    job->prediction = std::move(order.prepared.prediction);
    job->seed = order.prepared.seed;
    job->echo = std::move(order.prepared.echo);
    if (job->echo && job->logprobs) {
        job->scoring_salt = fmt::format("{}score:{}", prefix::SequenceStore::apart, job->id);
    }
    job->sink = std::move(order.sink);
    job->arrived = order.arrived;
    job->unfinished_answers = order.prepared.answers.size();
    job->usage.set_prompt_tokens(static_cast<std::uint32_t>(job->prompt_tokens));
    return job;
}

base::Error engine_failed() {
    return {.code = base::ErrorCode::internal, .message = "The engine failed while it ran this job."};
}

base::Error too_long(const JobInLoop& job, const engine::Limits& limits) {
    return {.code = base::ErrorCode::context_length,
            .message = fmt::format("This model's maximum context length is {} tokens. However, your messages resulted "
                                   "in {} tokens. Please reduce the length of the messages.",
                                   limits.context_tokens, job.prompt_tokens)};
}

std::vector<std::unique_ptr<Run>> runs_of(TextOrder order, const std::shared_ptr<JobInLoop>& job) {
    std::vector<std::unique_ptr<Run>> runs;
    for (auto& answer : order.prepared.answers) {
        runs.push_back(std::make_unique<Run>(Run{.job = job,
                                                 .choice = static_cast<std::uint32_t>(runs.size()),
                                                 .answer = std::move(answer),
                                                 .stream = AnswerStream(order.prepared.stop),
                                                 .tokens = order.prepared.prompt,
                                                 .sequence = std::nullopt}));
    }
    return runs;
}

}  // namespace worker::loop
