#include "gateway/api/job_run.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "gateway/api/failure.hpp"
#include "gateway/api/joined_jobs.hpp"
#include "gateway/drawing/image_jobs.hpp"

namespace gateway::api {

using backends::Event;

std::string_view to_string(Outcome outcome) {
    switch (outcome) {
        case Outcome::answered: return "answered";
        case Outcome::refused: return "refused";
        case Outcome::failed: return "failed";
        case Outcome::client_gone: return "client_gone";
    }
    return "?";
}

namespace {

std::vector<backends::Job> one(backends::Job job) {
    std::vector<backends::Job> jobs;
    jobs.push_back(std::move(job));
    return jobs;
}

std::uint32_t answers_of(const std::vector<backends::Job>& jobs) {
    std::uint32_t answers = 0;
    for (const backends::Job& job : jobs)
        answers += std::max(job.text().choices(), 1U);
    return answers;
}

}  // namespace

JobLabels labels_of(const NamedModel& model, JobLabels labels) {
    labels.model = model.name;
    labels.with_adapter = model.adapter ? model.id() : "";
    return labels;
}

JobRun::JobRun(http::Exchange& exchange, const Services& services, JobLabels labels, backends::Job job)
    : JobRun(exchange, services, std::move(labels), one(std::move(job)), 1) {}

JobRun::JobRun(http::Exchange& exchange, const Services& services, JobLabels labels, std::vector<backends::Job> jobs,
               std::size_t at_once)
    : exchange_(exchange),
      services_(services),
      labels_(std::move(labels)),
      image_job_(jobs.front().has_image() || jobs.front().has_upscale() ? jobs.front().id() : std::string()),
      choices_(answers_of(jobs)),
      start_(services.clock.now()),
      events_(exchange) {
    exchange_.note({"model", labels_.name()});
    exchange_.note({"job", jobs.front().id()});
    if (jobs.size() > 1)
        exchange_.note({"jobs", jobs.size()});
    const http::Request& request = exchange_.request();
    if (!request.caller.empty())
        exchange_.note({"client", request.caller});
    for (backends::Job& job : jobs) {
        job.set_tenant(request.caller);
        // How fast an answer comes tells nobody what others have asked. Callers are told apart before what they ask for.
        job.set_cache_salt(job.cache_salt().empty() ? request.caller : request.caller + '\n' + job.cache_salt());
        if (request.deadline != base::TimePoint::max())
            job.set_seconds_left(base::seconds(request.deadline - start_));
    }
    submission_ = submit_joined(services_.backend, labels_.model, std::move(jobs), at_once, *this);
}

JobRun::~JobRun() {
    submission_.reset();
    static const llm_gateway::engine::v1::Finished nothing;
    const auto& finished = last_ && last_->has_finished() ? last_->finished() : nothing;
    exchange_.note({"outcome", to_string(outcome())});
    if (first_output_)
        exchange_.note({"first_output_seconds", base::seconds(*first_output_ - start_)});
    if (last_ && last_->has_finished())
        exchange_.note({"queue_seconds", finished.timings().queue_seconds()});
    if (finished.usage().prompt_tokens() > 0) {
        exchange_.note({"prompt_tokens", finished.usage().prompt_tokens()});
        exchange_.note({"cached_tokens", finished.usage().cached_tokens()});
        exchange_.note({"completion_tokens", finished.usage().completion_tokens()});
    }
    services_.observer.on_job_finished({.model = labels_.name(),
                                        .endpoint = labels_.endpoint,
                                        .outcome = outcome(),
                                        .streamed = labels_.streamed,
                                        .total_seconds = base::seconds(services_.clock.now() - start_),
                                        .usage = finished.usage(),
                                        .timings = finished.timings()});
}

http::asio::awaitable<std::optional<Event>> JobRun::first_decisive(base::TimePoint until) {
    until = std::min(until, exchange_.request().deadline);
    while (auto event = co_await events_.next(until))
        if (!event->has_queued() && !event->has_started())
            co_return event;
    co_return std::nullopt;
}

base::Error JobRun::to_error(const llm_gateway::engine::v1::Failed& failed) const {
    base::Error error = api::to_error(failed);
    std::string path = request_path(error.param);
    if (!error.param.empty() && error.message.starts_with(error.param + " "))
        error.message.replace(0, error.param.size(), path);
    error.param = std::move(path);
    return error;
}

// Adapters have one name in all requests.
std::string JobRun::request_path(std::string_view job_path) const {
    constexpr std::string_view adapters = "adapters[";
    const auto place = job_path.find(adapters);
    if (place == std::string_view::npos)
        return labels_.to_request_path(job_path);
    return labels_.with_adapter.empty() ? "lora" + std::string(job_path.substr(place + adapters.size() - 1)) + ".id"
                                        : "model";
}

void JobRun::on_event(Event event) {
    const std::string_view model = labels_.name();
    switch (event.event_case()) {
        case Event::kQueued: tell_place_in_line(); break;
        case Event::kStarted: services_.observer.on_started(model, event.started().queue_seconds()); break;
        case Event::kText:
        case Event::kReasoning:
        case Event::kToolCall: on_output(); break;
        case Event::kPromptEcho:
        case Event::kEmbedding: begun_ = true; break;
        case Event::kImagePreview: begun_ = true; break;
        case Event::kImageProgress:
            begun_ = true;
            services_.observer.on_image_step(model, event.image_progress().step_seconds());
            break;
        case Event::kImageDone:
            begun_ = true;
            services_.observer.on_image_done(model);
            break;
        case Event::kFinished: on_finished(event.finished()); break;
        default: break;
    }
    const bool is_last = event.has_finished() || event.has_failed();
    if (is_last)
        last_ = event;
    events_.push(std::move(event));
    if (is_last)
        events_.close();
}

/// In the headers of an answer that has not begun, so of one that is sent whole as it was at first.
void JobRun::tell_place_in_line() {
    if (image_job_.empty())
        return;
    const auto job = services_.image_jobs.find(exchange_.request().caller, std::exchange(image_job_, {}));
    if (!job)
        return;
    exchange_.add_header("x-job-id", job->id);
    exchange_.add_header("x-queue-position", std::to_string(job->position));
    if (job->predicted_seconds)
        exchange_.add_header("x-predicted-seconds", fmt::format("{:.1f}", *job->predicted_seconds));
}

void JobRun::on_output() {
    begun_ = true;
    if (first_output_)
        return;
    first_output_ = services_.clock.now();
    services_.observer.on_first_token(labels_.name(), base::seconds(*first_output_ - start_));
}

void JobRun::on_finished(const llm_gateway::engine::v1::Finished& finished) {
    // The answers are generated side by side, so each takes the whole time for its own tokens.
    const double tokens = static_cast<double>(finished.usage().completion_tokens()) / choices_;
    if (first_output_ && tokens > 1)
        services_.observer.on_time_per_token(labels_.name(), finished.timings().generation_seconds() / (tokens - 1));
}

Outcome JobRun::outcome() const {
    if (exchange_.client_gone())
        return Outcome::client_gone;
    if (last_ && last_->has_finished())
        return Outcome::answered;
    return last_ && !begun_ ? Outcome::refused : Outcome::failed;
}

}  // namespace gateway::api
