#include "gateway/api/joined_jobs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace gateway::api {
namespace {

namespace contract = llm_gateway::engine::v1;
using backends::Event;
using backends::Job;

void add(const contract::Usage& usage, contract::Usage& sum) {
    sum.set_prompt_tokens(sum.prompt_tokens() + usage.prompt_tokens());
    sum.set_cached_tokens(sum.cached_tokens() + usage.cached_tokens());
    sum.set_completion_tokens(sum.completion_tokens() + usage.completion_tokens());
    sum.set_reasoning_tokens(sum.reasoning_tokens() + usage.reasoning_tokens());
    sum.set_drafted_tokens(sum.drafted_tokens() + usage.drafted_tokens());
    sum.set_accepted_tokens(sum.accepted_tokens() + usage.accepted_tokens());
    sum.set_accepted_prediction_tokens(sum.accepted_prediction_tokens() + usage.accepted_prediction_tokens());
    sum.set_rejected_prediction_tokens(sum.rejected_prediction_tokens() + usage.rejected_prediction_tokens());
}

class JoinedJobs final : public backends::Submission {
public:
    JoinedJobs(backends::Backend& backend, backends::ModelName model, std::vector<Job> jobs, std::size_t at_once,
               backends::EventSink& sink)
        : backend_(backend),
          model_(std::move(model)),
          jobs_(std::move(jobs)),
          answers_(std::max(jobs_.front().text().choices(), 1U)),
          sink_(sink) {
        for (std::size_t i = 0; i < jobs_.size(); ++i)
            parts_.push_back(std::make_unique<Part>(*this, i));
        for (std::size_t i = 0; i < std::max<std::size_t>(at_once, 1); ++i)
            submit_next();
    }

private:
    struct Part final : backends::EventSink {
        Part(JoinedJobs& the_whole, std::size_t the_index) : whole(the_whole), index(the_index) {}
        void on_event(Event event) override { whole.on_event(*this, std::move(event)); }

        JoinedJobs& whole;
        const std::size_t index;
        std::unique_ptr<backends::Submission> submission;
    };

    void submit_next() {
        if (next_ == jobs_.size())
            return;
        Part& part = *parts_[next_];
        part.submission = backend_.submit(model_, std::move(jobs_[next_++]), part);
    }

    void on_event(Part& part, Event event) {
        const auto first = static_cast<std::uint32_t>(part.index) * answers_;
        switch (event.event_case()) {
            case Event::kQueued:
                if (std::exchange(told_queued_, true))
                    return;
                break;
            case Event::kStarted:
                if (std::exchange(told_started_, true))
                    return;
                break;
            case Event::kText: event.mutable_text()->set_choice(first + event.text().choice()); break;
            case Event::kReasoning: event.mutable_reasoning()->set_choice(first + event.reasoning().choice()); break;
            case Event::kToolCall: event.mutable_tool_call()->set_choice(first + event.tool_call().choice()); break;
            case Event::kPromptEcho: event.mutable_prompt_echo()->set_choice(first); break;
            case Event::kChoiceFinished:
                event.mutable_choice_finished()->set_choice(first + event.choice_finished().choice());
                break;
            case Event::kFinished: return on_finished(part, event.finished());
            case Event::kFailed:
                std::ranges::for_each(parts_, [](const auto& each) { each->submission.reset(); });
                event.mutable_failed()->set_param(fmt::format(
                    "jobs[{}]{}{}", part.index, event.failed().param().empty() ? "" : ".", event.failed().param()));
                break;
            default: break;
        }
        sink_.on_event(std::move(event));  // may end this
    }

    void on_finished(Part& part, const contract::Finished& finished) {
        part.submission.reset();
        add(finished.usage(), *sum_.mutable_usage());
        const auto& timings = finished.timings();
        auto& all = *sum_.mutable_timings();
        if (finished_ == 0) {
            sum_.set_seed(finished.seed());
            all.set_queue_seconds(timings.queue_seconds());
            all.set_prompt_seconds(timings.prompt_seconds());
        }
        // The mean, as that of several answers of one job.
        all.set_generation_seconds(all.generation_seconds() +
                                   timings.generation_seconds() / static_cast<double>(jobs_.size()));
        all.set_total_seconds(std::max(all.total_seconds(), timings.total_seconds()));
        if (++finished_ < jobs_.size())
            return submit_next();
        Event event;
        *event.mutable_finished() = std::move(sum_);
        sink_.on_event(std::move(event));  // may end this
    }

    backends::Backend& backend_;
    const backends::ModelName model_;
    std::vector<Job> jobs_;
    const std::uint32_t answers_;
    backends::EventSink& sink_;
    std::vector<std::unique_ptr<Part>> parts_;
    std::size_t next_ = 0;
    std::size_t finished_ = 0;
    bool told_queued_ = false;
    bool told_started_ = false;
    contract::Finished sum_;
};

}  // namespace

std::unique_ptr<backends::Submission> submit_joined(backends::Backend& backend, const backends::ModelName& model,
                                                    std::vector<Job> jobs, std::size_t at_once,
                                                    backends::EventSink& sink) {
    if (jobs.size() == 1)
        return backend.submit(model, std::move(jobs.front()), sink);
    return std::make_unique<JoinedJobs>(backend, model, std::move(jobs), at_once, sink);
}

}  // namespace gateway::api
