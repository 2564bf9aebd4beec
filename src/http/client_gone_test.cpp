/// A handler that waits for a backend hears at once when its client leaves, and draining lets the others finish.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <future>

#include "http/event_channel.hpp"
#include "http/server.hpp"
#include "http/sse.hpp"
#include "http/test_server.hpp"

namespace http {
namespace {

using testing::HasSubstr;
using namespace std::chrono_literals;

/// An endpoint that waits for an event that only the test can send, like one that waits for a model.
class WaitingEndpoint {
public:
    asio::awaitable<void> answer(Exchange& exchange) {
        EventChannel<std::string> channel(exchange);
        channel_ = &channel;
        waiting_.set_value();
        const auto event = co_await channel.next(exchange.request().deadline);
        channel_ = nullptr;
        ended_with_ = channel.end();
        ended_.set_value();
        if (event) {
            co_await exchange.send(text_response(*event));
        }
    }

    asio::awaitable<void> stream(Exchange& exchange) {
        EventChannel<std::string> channel(exchange);
        SseWriter events(exchange, {.keep_alive = 5ms});
        co_await events.start();
        channel_ = &channel;
        waiting_.set_value();
        const auto event = co_await events.next(channel, exchange.request().deadline);
        channel_ = nullptr;
        ended_with_ = channel.end();
        ended_.set_value();
        if (event && co_await events.data(*event)) {
            co_await events.finish();
        }
    }

    std::vector<Route> routes() {
        return {{.pattern = "/wait", .handler = [this](Exchange& exchange) { return answer(exchange); }},
                {.pattern = "/stream", .handler = [this](Exchange& exchange) { return stream(exchange); }},
                {.pattern = "/hello", .handler = answer_with([](const Request&) { return text_response("hello\n"); })}};
    }

    void wait_until_waiting() { ASSERT_EQ(waiting_.get_future().wait_for(20s), std::future_status::ready); }
    void push(TestServer& server, std::string event) {
        asio::post(server.io(), [this, event = std::move(event)] { channel_->push(event); });
    }
    Wait wait_until_ended() {
        EXPECT_EQ(ended_.get_future().wait_for(20s), std::future_status::ready);
        return ended_with_;
    }

private:
    std::promise<void> waiting_;
    std::promise<void> ended_;
    EventChannel<std::string>* channel_ = nullptr;
    std::atomic<Wait> ended_with_ = Wait::ready;
};

constexpr auto wait_request = "GET /wait HTTP/1.1\r\nHost: test\r\n\r\n";
constexpr auto stream_request = "GET /stream HTTP/1.1\r\nHost: test\r\n\r\n";

TEST(ClientGone, EndsAHandlerThatWaits) {
    WaitingEndpoint endpoint;
    TestServer server(endpoint.routes());
    TestClient client(server.port());
    client.send(wait_request);
    endpoint.wait_until_waiting();
    const auto left_at = std::chrono::steady_clock::now();
    client.leave();
    EXPECT_EQ(endpoint.wait_until_ended(), Wait::client_gone);
    EXPECT_LT(std::chrono::steady_clock::now() - left_at, 5s);
}

TEST(ClientGone, EndsAHandlerWhoseClientHadSentTheNextRequestAlready) {
    WaitingEndpoint endpoint;
    TestServer server(endpoint.routes());
    TestClient client(server.port());
    client.send(std::string(wait_request) + "GET /hello HTTP/1.1\r\nHost: test\r\n\r\n");
    endpoint.wait_until_waiting();
    client.leave();
    EXPECT_EQ(endpoint.wait_until_ended(), Wait::client_gone);
}

TEST(ClientGone, EndsAHandlerWhoseClientSentTheNextRequestLater) {
    WaitingEndpoint endpoint;
    TestServer server(endpoint.routes());
    TestClient client(server.port());
    client.send(wait_request);
    endpoint.wait_until_waiting();
    client.send("GET /hello HTTP/1.1\r\nHost: test\r\n\r\n");
    client.leave();
    EXPECT_EQ(endpoint.wait_until_ended(), Wait::client_gone);
}

TEST(ClientGone, EndsAStreamThatIsSilent) {
    WaitingEndpoint endpoint;
    TestServer server(endpoint.routes());
    TestClient client(server.port());
    client.send(stream_request);
    endpoint.wait_until_waiting();
    client.leave();
    EXPECT_EQ(endpoint.wait_until_ended(), Wait::client_gone);
}

TEST(ClientGone, KeepsWhatWasPipelinedForTheNextRequest) {
    WaitingEndpoint endpoint;
    TestServer server(endpoint.routes());
    TestClient client(server.port());
    client.send(wait_request);
    endpoint.wait_until_waiting();
    client.send("GET /hello HTTP/1.1\r\nHost: test\r\n\r\n");
    endpoint.push(server, "event");
    EXPECT_EQ(client.read_response().body, "event");
    EXPECT_EQ(client.read_response().body, "hello\n");
}

TEST(ClientGone, StillAnswersAPlainRequestWhoseSenderClosedItsSide) {
    WaitingEndpoint endpoint;
    TestServer server(endpoint.routes());
    TestClient client(server.port());
    client.send("GET /hello HTTP/1.1\r\nHost: test\r\n\r\n");
    client.close_sending_side();
    EXPECT_EQ(client.read_response().body, "hello\n");
    EXPECT_TRUE(client.is_closed());
}

TEST(KeepAlive, ACommentGoesOutWhileNothingHappens) {
    WaitingEndpoint endpoint;
    TestServer server(endpoint.routes());
    TestClient client(server.port());
    client.send(stream_request);
    EXPECT_THAT(client.read_until("\r\n\r\n"), HasSubstr("text/event-stream"));  // before any event
    client.read_until(": waiting\n\n");
    client.read_until(": waiting\n\n");
    endpoint.wait_until_waiting();
    endpoint.push(server, "event");
    EXPECT_THAT(client.read_until("data: event\n\n"), HasSubstr("data: event"));
    EXPECT_THAT(client.read_until("0\r\n\r\n"), HasSubstr("0\r\n\r\n"));
    EXPECT_EQ(client.get("/hello").body, "hello\n");
}

TEST(Drain, FinishesWhatRunsAndClosesTheRest) {
    WaitingEndpoint endpoint;
    TestServer server(endpoint.routes());
    TestClient idle(server.port());
    TestClient fresh(server.port());
    TestClient running(server.port());
    EXPECT_EQ(idle.get("/hello").status, 200);
    running.send(wait_request);
    endpoint.wait_until_waiting();
    auto drained = server.start_draining(20s);
    EXPECT_TRUE(idle.is_closed());
    EXPECT_TRUE(fresh.is_closed());
    EXPECT_THROW(TestClient(server.port()), std::runtime_error);
    endpoint.push(server, "last event");
    const auto response = running.read_response();
    EXPECT_EQ(response.body, "last event");
    EXPECT_EQ(response.header("Connection"), "close");
    EXPECT_TRUE(running.is_closed());
    EXPECT_TRUE(drained.get());
}

TEST(Drain, CutsWhatTakesTooLong) {
    WaitingEndpoint endpoint;
    TestServer server(endpoint.routes());
    TestClient client(server.port());
    client.send(wait_request);
    endpoint.wait_until_waiting();
    EXPECT_FALSE(server.drain(10ms));
    EXPECT_EQ(endpoint.wait_until_ended(), Wait::client_gone);
    EXPECT_TRUE(client.is_closed());
}

}  // namespace
}  // namespace http
