#pragma once

/// A queue between a backend's callbacks and the coroutine that answers a request; both are on the gateway's thread, so
/// there is no lock. It closes by itself when the client leaves.
///
///     http::EventChannel<Event> channel(exchange);
///     Sink sink(channel);                                   // on_event: channel.push(std::move(event))
///     auto submission = backend.submit(model, job, sink);   // ends, and so cancels, before the channel does
///     while (auto event = co_await channel.next(deadline)) ...
///     switch (channel.end()) ...                            // why there is no further event

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <deque>
#include <memory>
#include <optional>
#include <utility>

#include "base/clock.hpp"
#include "http/exchange.hpp"

namespace http {

/// Why `next` returned nothing.
enum class Wait {
    ready,        ///< it did return something
    timed_out,    ///< nothing came by then; later calls may still give events
    closed,       ///< `close` was called and everything has been taken
    client_gone,  ///< nobody is there to answer
};

/// Lets one coroutine sleep until a time or until woken. Not for two coroutines at once.
class Wakeup {
public:
    explicit Wakeup(const asio::any_io_executor& executor);
    ~Wakeup();
    Wakeup(const Wakeup&) = delete;
    Wakeup& operator=(const Wakeup&) = delete;

    /// Wakes the sleeper, if any.
    void wake();
    asio::awaitable<void> sleep_until(base::TimePoint until);

private:
    struct Timer;
    std::unique_ptr<Timer> timer_;
};

template <typename T>
class EventChannel final : private GoneListener {
public:
    explicit EventChannel(Exchange& exchange) : exchange_(exchange), wakeup_(exchange.executor()) {
        exchange_.add_listener(*this);
    }
    ~EventChannel() { exchange_.remove_listener(*this); }
    EventChannel(const EventChannel&) = delete;
    EventChannel& operator=(const EventChannel&) = delete;

    /// Ignored once closed or once the client has gone. Only on the gateway's thread.
    void push(T event) {
        if (closed_ || exchange_.client_gone()) {
            return;
        }
        events_.push_back(std::move(event));
        wakeup_.wake();
    }

    /// No further events will come; those already pushed are still delivered.
    void close() {
        closed_ = true;
        wakeup_.wake();
    }

    /// The next event in order, waiting for it until `until`. Nothing, with the reason in `end()`, when there is none.
    asio::awaitable<std::optional<T>> next(base::TimePoint until) {
        while (true) {
            if (exchange_.client_gone()) {
                end_ = Wait::client_gone;
                co_return std::nullopt;
            }
            if (!events_.empty()) {
                end_ = Wait::ready;
                std::optional<T> event(std::move(events_.front()));
                events_.pop_front();
                co_return event;
            }
            if (closed_) {
                end_ = Wait::closed;
                co_return std::nullopt;
            }
            if (std::chrono::steady_clock::now() >= until) {
                end_ = Wait::timed_out;
                co_return std::nullopt;
            }
            co_await wakeup_.sleep_until(until);
        }
    }

    /// What the last `next` ended with.
    Wait end() const { return end_; }

private:
    void on_client_gone() override { wakeup_.wake(); }

    Exchange& exchange_;
    Wakeup wakeup_;
    std::deque<T> events_;
    bool closed_ = false;
    Wait end_ = Wait::ready;
};

}  // namespace http
