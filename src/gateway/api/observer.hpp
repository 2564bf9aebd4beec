#pragma once

/// What the endpoints tell about the jobs they ran; for metrics. Everything has an empty default, durations are
/// seconds.

#include <string_view>

#include "engine.pb.h"

namespace gateway::api {

enum class Outcome {
    answered,     ///< the whole answer was handed over
    refused,      ///< nothing was generated: a fault of the request, or no room
    failed,       ///< it broke after it had begun, or a deadline passed
    client_gone,  ///< nobody was left to answer
};

std::string_view to_string(Outcome outcome);

/// One job, when it has ended. Views and references live during the call.
struct FinishedJob {
    std::string_view model;
    /// Pattern of the endpoint, e.g. "/v1/chat/completions".
    std::string_view endpoint;
    Outcome outcome = Outcome::answered;
    bool streamed = false;
    /// From the arrival of the request to its end.
    double total_seconds = 0;
    /// As the worker measured them; all zero unless `answered`.
    const llm_gateway::engine::v1::Usage& usage;
    const llm_gateway::engine::v1::Timings& timings;
};

class Observer {
public:
    virtual ~Observer() = default;
    /// The job left the queue after this long.
    virtual void on_started(std::string_view /*model*/, double /*queue_seconds*/) {}
    /// From the arrival of the request to the first piece of text, reasoning or tool call, for each job once.
    virtual void on_first_token(std::string_view /*model*/, double /*seconds*/) {}
    /// Between first and last token, divided by the tokens of an answer after its first (the mean of several answers);
    /// only when an answer has more than one.
    virtual void on_time_per_token(std::string_view /*model*/, double /*seconds*/) {}
    /// One step of an image.
    virtual void on_image_step(std::string_view /*model*/, double /*seconds*/) {}
    virtual void on_image_done(std::string_view /*model*/) {}
    virtual void on_job_finished(const FinishedJob& /*job*/) {}
};

}  // namespace gateway::api
