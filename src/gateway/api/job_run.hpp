#pragma once

/// One job of one request, from submission to its end: its events in order, what the observer and the log line hear of
/// it. Destroying it cancels what has not ended.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gateway/api/endpoints.hpp"
#include "gateway/api/named_model.hpp"
#include "http/event_channel.hpp"

namespace gateway::api {

/// For the log line and the metrics.
struct JobLabels {
    backends::ModelName model = {};
    /// Pattern of the endpoint, a literal.
    std::string_view endpoint;
    bool streamed = false;
    /// From the path of a field in the job to that in the request.
    std::function<std::string(std::string_view job_path)> to_request_path;
    /// What the request called it, where that is the model with an adapter; empty: the model alone.
    std::string with_adapter = {};

    std::string_view name() const { return with_adapter.empty() ? std::string_view(model.value()) : with_adapter; }
};

/// `labels` with the names of `model`.
JobLabels labels_of(const NamedModel& model, JobLabels labels);

class JobRun final : private backends::EventSink {
public:
    /// Submits at once. `exchange` and `services` must outlive this.
    JobRun(http::Exchange& exchange, const Services& services, JobLabels labels, backends::Job job);
    /// Several jobs as one (joined_jobs.hpp), of which at most `at_once` run at the same time.
    JobRun(http::Exchange& exchange, const Services& services, JobLabels labels, std::vector<backends::Job> jobs,
           std::size_t at_once);
    ~JobRun() override;

    /// To take events from; closed after the last one.
    http::EventChannel<backends::Event>& events() { return events_; }

    /// The first event that decides how to answer: neither Queued nor Started. Nothing when none came by `until`, the
    /// client left, or the deadline of the request passed: events().end() says which.
    http::asio::awaitable<std::optional<backends::Event>> first_decisive(base::TimePoint until);

    /// What the worker or the dispatcher complained about, in the words of the request.
    base::Error to_error(const llm_gateway::engine::v1::Failed& failed) const;

private:
    void on_event(backends::Event event) override;
    std::string request_path(std::string_view job_path) const;
    void tell_place_in_line();
    void on_output();
    void on_finished(const llm_gateway::engine::v1::Finished& finished);
    Outcome outcome() const;

    http::Exchange& exchange_;
    const Services& services_;
    JobLabels labels_;
    /// Of an image or upscale job; empty: of another.
    std::string image_job_;
    /// Answers asked for, at least 1.
    std::uint32_t choices_;
    base::TimePoint start_;
    http::EventChannel<backends::Event> events_;
    std::optional<base::TimePoint> first_output_;
    /// Something was generated: text, or a part of a picture.
    bool begun_ = false;
    std::optional<backends::Event> last_;
    // After the channel: it must end, and so cancel, before the channel does.
    std::unique_ptr<backends::Submission> submission_;
};

}  // namespace gateway::api
