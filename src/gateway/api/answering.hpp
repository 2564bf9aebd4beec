#pragma once

/// How the events of a job become the answer of a request: what chat and images have in common.

#include <optional>
#include <string>
#include <utility>

#include "gateway/api/job_run.hpp"
#include "http/sse.hpp"
#include "schema/schema.hpp"

namespace gateway::api {

/// That the time of a request is over before its answer is complete.
base::Error deadline_error();

/// The next event of an answer that is sent whole. A failure or a deadline is sent as the answer, and nothing is
/// returned. The answer is complete when nothing is returned and `run.events().end()` is `closed`.
http::asio::awaitable<std::optional<backends::Event>> next_event(http::Exchange& exchange, JobRun& run);

/// Sends the whole answer that `collector` makes of the job's events; an internal error that says `incomplete` when the
/// worker delivered less than was asked for.
template <typename Collector>
http::asio::awaitable<void> answer_collected(http::Exchange& exchange, JobRun& run, Collector collector,
                                             std::string incomplete) {
    while (auto event = co_await next_event(exchange, run))
        collector.add(*event);
    if (run.events().end() != http::Wait::closed)
        co_return;
    if (const auto response = collector.take_response())
        co_await exchange.send(http::json_response(schema::to_text(*response)));
    else
        co_await exchange.send_error(
            {.code = base::ErrorCode::internal, .message = std::move(incomplete), .param = {}, .retry_after = {}});
}

/// An answer as a stream of server-sent events.
class EventStream {
public:
    EventStream(http::Exchange& exchange, JobRun& run);

    /// Sends the head, at most a second after the start: until then it waits for an event that decides, so that what is
    /// refused at once gets its own status. False when the request is answered, or nobody is left to answer.
    http::asio::awaitable<bool> start();

    /// The next event. After a failure or a deadline one error event is sent, the stream ends, and nothing is
    /// returned.
    http::asio::awaitable<std::optional<backends::Event>> next();

    http::SseWriter& writer() { return writer_; }

    /// Whether every event has been taken: then the caller may send its last words and `finish`.
    bool complete() const { return complete_; }
    http::asio::awaitable<void> finish();

private:
    http::asio::awaitable<void> end_broken(base::Error error);

    http::Exchange& exchange_;
    JobRun& run_;
    http::SseWriter writer_;
    std::optional<backends::Event> first_;
    bool complete_ = false;
};

}  // namespace gateway::api
