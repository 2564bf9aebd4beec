#include "gateway/api/responses/stream.hpp"

namespace gateway::api::responses {

using http::asio::awaitable;

namespace {

/// A reader for as long as this lives.
class Reading {
public:
    Reading(http::Exchange& exchange, RunningResponse& running, std::int64_t after)
        : running_(running), events_(exchange) {
        running_.add_reader(events_, after);
    }
    ~Reading() { running_.remove_reader(events_); }
    Reading(const Reading&) = delete;
    Reading& operator=(const Reading&) = delete;

    RunningResponse::Reader& events() { return events_; }

private:
    RunningResponse& running_;
    RunningResponse::Reader events_;
};

}  // namespace

awaitable<bool> send_events(http::SseWriter& writer, std::vector<StreamEvent> events) {
    for (StreamEvent& event : events)
        if (!co_await writer.named(std::move(event.type), std::move(event.data)))
            co_return false;
    co_return true;
}

awaitable<void> follow(http::Exchange& exchange, std::shared_ptr<RunningResponse> running, std::int64_t after) {
    http::SseWriter writer(exchange);
    if (!co_await writer.start())
        co_return;
    Reading reading(exchange, *running, after);
    while (auto event = co_await writer.next(reading.events(), exchange.request().deadline))
        if (!co_await writer.named(std::move(event->type), std::move(event->data)))
            co_return;
    co_await writer.finish();
}

}  // namespace gateway::api::responses
