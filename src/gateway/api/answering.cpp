#include "gateway/api/answering.hpp"

#include <utility>

#include "base/log.hpp"
#include "http/errors.hpp"

namespace gateway::api {

using backends::Event;
using http::asio::awaitable;

namespace {

constexpr auto head_patience = std::chrono::seconds(1);

}  // namespace

base::Error deadline_error() {
    return {.code = base::ErrorCode::deadline,
            .message = "The answer was not complete within the time that a request may take.",
            .param = {},
            .retry_after = {}};
}

awaitable<std::optional<Event>> next_event(http::Exchange& exchange, JobRun& run) {
    auto event = co_await run.events().next(exchange.request().deadline);
    if (event && event->has_failed()) {
        co_await exchange.send_error(run.to_error(event->failed()));
        co_return std::nullopt;
    }
    if (!event && run.events().end() == http::Wait::timed_out)
        co_await exchange.send_error(deadline_error());
    co_return event;
}

EventStream::EventStream(http::Exchange& exchange, JobRun& run) : exchange_(exchange), run_(run), writer_(exchange) {}

awaitable<bool> EventStream::start() {
    first_ = co_await run_.first_decisive(std::chrono::steady_clock::now() + head_patience);
    if (first_ && first_->has_failed()) {
        co_await exchange_.send_error(run_.to_error(first_->failed()));
        co_return false;
    }
    if (!first_ && run_.events().end() == http::Wait::client_gone)
        co_return false;
    co_return co_await writer_.start();
}

awaitable<std::optional<Event>> EventStream::next() {
    auto event = std::exchange(first_, std::nullopt);
    if (!event)
        event = co_await writer_.next(run_.events(), exchange_.request().deadline);
    if (event && event->has_failed()) {
        co_await end_broken(run_.to_error(event->failed()));
        co_return std::nullopt;
    }
    if (!event && run_.events().end() == http::Wait::timed_out)
        co_await end_broken(deadline_error());
    complete_ = !event && run_.events().end() == http::Wait::closed;
    co_return event;
}

awaitable<void> EventStream::finish() {
    co_await exchange_.finish();
}

awaitable<void> EventStream::end_broken(base::Error error) {
    exchange_.note({"error", base::to_string(error.code)});
    if (error.code == base::ErrorCode::internal)
        base::log::error("stream failed", {{"id", exchange_.request().id}, {"error", error.message}});
    auto body = http::error_body(error, exchange_.request().id, exchange_.error_form());
    if (exchange_.error_form() == http::ErrorForm::anthropic)
        co_await writer_.named("error", std::move(body));
    else
        co_await writer_.data(std::move(body));
    co_await writer_.finish();
}

}  // namespace gateway::api
