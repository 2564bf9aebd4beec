#pragma once

/// Server-sent events over an Exchange. Every event leaves at once; while nothing comes, a comment goes out so that
/// load balancers do not cut the connection.
///
///     http::SseWriter events(exchange);
///     if (!co_await events.start()) co_return;
///     while (auto event = co_await events.next(channel, deadline)) {
///         if (!co_await events.data(render(*event))) co_return;
///     }
///     co_await events.data("[DONE]");
///     co_await events.finish();

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.hpp"
#include "http/event_channel.hpp"
#include "http/exchange.hpp"

namespace http {

/// `data: ...\n` for each line of `data`, then the empty line.
std::string sse_event(std::string_view data, std::string_view name = {});

struct SseOptions {
    /// Longest silence on the wire.
    base::Duration keep_alive = std::chrono::seconds(8);
    Headers headers;
};

class SseWriter {
public:
    explicit SseWriter(Exchange& exchange, SseOptions options = {});

    // All return false when the client has gone.

    /// Status 200 and the headers, at once.
    asio::awaitable<bool> start();
    asio::awaitable<bool> data(std::string data);
    /// With an `event:` line before the data.
    asio::awaitable<bool> named(std::string name, std::string data);
    asio::awaitable<bool> comment(std::string text);
    asio::awaitable<bool> finish();

    /// `channel.next(until)` that sends a comment whenever the wire was silent for `keep_alive`.
    template <typename T>
    asio::awaitable<std::optional<T>> next(EventChannel<T>& channel, base::TimePoint until) {
        while (true) {
            auto event = co_await channel.next(std::min(until, last_write_ + options_.keep_alive));
            if (event || channel.end() != Wait::timed_out || std::chrono::steady_clock::now() >= until) {
                co_return event;
            }
            co_await comment("waiting");
        }
    }

private:
    asio::awaitable<bool> write(std::string text);

    Exchange& exchange_;
    SseOptions options_;
    base::TimePoint last_write_;
};

}  // namespace http
