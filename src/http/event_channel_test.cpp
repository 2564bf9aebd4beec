#include "http/event_channel.hpp"

#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>

#include "http/recorded_exchange.hpp"
#include "http/sse.hpp"

namespace http {
namespace {

using namespace std::chrono_literals;

/// Runs `body` on an exchange of its own until it ends.
template <typename Body>
void run(Body body) {
    asio::io_context io;
    RecordedExchange exchange(io.get_executor(), {});
    asio::co_spawn(io, body(io, exchange), [](const std::exception_ptr& failure) { EXPECT_FALSE(failure); });
    io.run();
}

base::TimePoint soon() {
    return std::chrono::steady_clock::now() + 5ms;
}
base::TimePoint late() {
    return std::chrono::steady_clock::now() + 60s;
}

asio::awaitable<void> takes_in_order(asio::io_context& io, RecordedExchange& exchange) {
    EventChannel<int> channel(exchange);
    channel.push(1);
    channel.push(2);
    asio::post(io, [&] { channel.push(3); });
    EXPECT_EQ(co_await channel.next(late()), 1);
    EXPECT_EQ(co_await channel.next(late()), 2);
    EXPECT_EQ(co_await channel.next(late()), 3);
    EXPECT_EQ(channel.end(), Wait::ready);
}

TEST(EventChannel, DeliversInOrderWhetherWaitedForOrNot) {
    run(takes_in_order);
}

asio::awaitable<void> times_out(asio::io_context& io, RecordedExchange& exchange) {
    EventChannel<int> channel(exchange);
    EXPECT_EQ(co_await channel.next(soon()), std::nullopt);
    EXPECT_EQ(channel.end(), Wait::timed_out);
    asio::post(io, [&] { channel.push(1); });
    EXPECT_EQ(co_await channel.next(late()), 1);
}

TEST(EventChannel, TimesOutAndGoesOn) {
    run(times_out);
}

asio::awaitable<void> closes(asio::io_context& io, RecordedExchange& exchange) {
    EventChannel<int> channel(exchange);
    channel.push(1);
    channel.close();
    channel.push(2);
    EXPECT_EQ(co_await channel.next(late()), 1);
    EXPECT_EQ(co_await channel.next(late()), std::nullopt);
    EXPECT_EQ(channel.end(), Wait::closed);
    EventChannel<int> other(exchange);
    asio::post(io, [&] { other.close(); });
    EXPECT_EQ(co_await other.next(late()), std::nullopt);
    EXPECT_EQ(other.end(), Wait::closed);
}

TEST(EventChannel, ClosesAfterWhatWasPushed) {
    run(closes);
}

asio::awaitable<void> client_leaves(asio::io_context& io, RecordedExchange& exchange) {
    EventChannel<int> first(exchange);
    EventChannel<int> second(exchange);
    second.push(1);
    asio::post(io, [&] { exchange.leave(); });
    EXPECT_EQ(co_await first.next(late()), std::nullopt);
    EXPECT_EQ(first.end(), Wait::client_gone);
    EXPECT_EQ(co_await second.next(late()), std::nullopt);
    EXPECT_EQ(second.end(), Wait::client_gone);
    EventChannel<int> after(exchange);
    EXPECT_EQ(co_await after.next(late()), std::nullopt);
    EXPECT_EQ(after.end(), Wait::client_gone);
    EXPECT_FALSE(co_await exchange.write("x"));
}

TEST(EventChannel, EndsWhenTheClientLeaves) {
    run(client_leaves);
}

asio::awaitable<void> keeps_alive(asio::io_context&, RecordedExchange& exchange) {
    EventChannel<int> channel(exchange);
    SseWriter events(exchange, {.keep_alive = 2ms});
    EXPECT_TRUE(co_await events.start());
    int comments = 0;
    exchange.on_chunk = [&](const std::string& chunk) {
        EXPECT_EQ(chunk, ": waiting\n\n");
        if (++comments == 3) {
            channel.push(7);
        }
    };
    EXPECT_EQ(co_await events.next(channel, late()), 7);
    EXPECT_EQ(comments, 3);
    exchange.on_chunk = {};
    EXPECT_EQ(co_await events.next(channel, soon()), std::nullopt);
    EXPECT_EQ(channel.end(), Wait::timed_out);
    exchange.leave();
    EXPECT_EQ(co_await events.next(channel, late()), std::nullopt);
    EXPECT_EQ(channel.end(), Wait::client_gone);
}

TEST(SseWriter, SendsCommentsWhileItWaits) {
    run(keeps_alive);
}

}  // namespace
}  // namespace http
