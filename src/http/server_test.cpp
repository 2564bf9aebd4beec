#include "http/server.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <memory>

#include "http/event_channel.hpp"
#include "http/sse.hpp"
#include "http/test_server.hpp"

namespace http {
namespace {

using testing::HasSubstr;
using testing::Not;
using namespace std::chrono_literals;

asio::awaitable<void> stream_three(Exchange& exchange) {
    SseWriter events(exchange);
    if (!co_await events.start()) {
        co_return;
    }
    for (const char* text : {"one", "two", "three"}) {
        if (!co_await events.data(text)) {
            co_return;
        }
    }
    co_await events.finish();
}

asio::awaitable<void> fail_at_once(Exchange&) {
    throw std::runtime_error("secret inside");
    co_return;
}

asio::awaitable<void> fail_in_the_middle(Exchange& exchange) {
    co_await exchange.start_stream({});
    co_await exchange.write("half");
    throw std::runtime_error("secret inside");
}

asio::awaitable<void> forget_to_answer(Exchange&) {
    co_return;
}

asio::awaitable<void> tick_forever(Exchange& exchange) {
    EventChannel<int> never(exchange);
    SseWriter events(exchange);
    co_await events.start();
    while (co_await events.data("tick")) {
        co_await never.next(std::chrono::steady_clock::now() + 10ms);
    }
}

std::vector<Route> routes() {
    return {
        {.pattern = "/hello", .handler = answer_with([](const Request&) { return text_response("hello\n"); })},
        {.method = Method::post, .pattern = "/echo", .handler = answer_with([](const Request& request) {
                                                         return text_response(request.body);
                                                     })},
        {.pattern = "/stream", .handler = stream_three},
        {.pattern = "/ticks", .handler = tick_forever},
        {.pattern = "/throws", .handler = fail_at_once},
        {.pattern = "/half", .handler = fail_in_the_middle},
        {.pattern = "/nothing", .handler = forget_to_answer},
        {.pattern = "/models/{model...}", .handler = answer_with([](const Request& request) {
                                              return text_response(std::string(request.path_parameter("model")));
                                          })},
    };
}

TEST(Server, AnswersAndKeepsTheConnection) {
    TestServer server(routes());
    TestClient client(server.port());
    for (int time = 0; time < 3; ++time) {
        const auto response = client.get("/hello");
        EXPECT_EQ(response.status, 200);
        EXPECT_EQ(response.body, "hello\n");
        EXPECT_THAT(response.header("x-request-id"), Not(testing::IsEmpty()));
        EXPECT_THAT(response.header("Date"), HasSubstr("GMT"));
    }
}

TEST(Server, KeepsTheConnectionAfterAStream) {
    TestServer server(routes());
    TestClient client(server.port());
    for (int time = 0; time < 3; ++time) {
        const auto response = client.get("/stream");
        EXPECT_EQ(response.body, "data: one\n\ndata: two\n\ndata: three\n\n");
        EXPECT_EQ(response.header("Content-Type"), "text/event-stream; charset=utf-8");
        EXPECT_EQ(response.header("Cache-Control"), "no-cache");
        EXPECT_EQ(response.header("X-Accel-Buffering"), "no");
        EXPECT_EQ(response.header("Connection"), "");
    }
    EXPECT_EQ(client.get("/hello").body, "hello\n");
}

TEST(Server, EndsAStreamByClosingForHttp10) {
    TestServer server(routes());
    TestClient client(server.port());
    client.send("GET /stream HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
    const auto response = client.read_response();
    EXPECT_EQ(response.header("Transfer-Encoding"), "");
    EXPECT_EQ(response.header("Connection"), "close");
    EXPECT_EQ(response.body, "data: one\n\ndata: two\n\ndata: three\n\n");
    EXPECT_FALSE(client.was_reset());
}

TEST(Server, ClosesAfterAnAnswerForHttp10UnlessAsked) {
    TestServer server(routes());
    TestClient client(server.port());
    client.send("GET /hello HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
    EXPECT_EQ(client.read_response().header("Connection"), "keep-alive");
    client.send("GET /hello HTTP/1.0\r\n\r\n");
    EXPECT_EQ(client.read_response().header("Connection"), "close");
    EXPECT_TRUE(client.is_closed());
}

TEST(Server, ClosesWhenTheClientAsks) {
    TestServer server(routes());
    TestClient client(server.port());
    const auto response = client.get("/hello", "Connection: close\r\n");
    EXPECT_EQ(response.header("Connection"), "close");
    EXPECT_EQ(response.body, "hello\n");
    EXPECT_TRUE(client.is_closed());
}

TEST(Server, AnswersPipelinedRequestsInOrder) {
    TestServer server(routes());
    TestClient client(server.port());
    std::string all;
    for (int request = 0; request < 20; ++request) {
        all += "GET /models/" + std::to_string(request) + " HTTP/1.1\r\nHost: test\r\n\r\n";
        all += "GET /stream HTTP/1.1\r\nHost: test\r\n\r\n";
        all += "POST /echo HTTP/1.1\r\nHost: test\r\nContent-Length: 3\r\n\r\nabc";
    }
    client.send(all);
    for (int request = 0; request < 20; ++request) {
        EXPECT_EQ(client.read_response().body, std::to_string(request));
        EXPECT_THAT(client.read_response().body, HasSubstr("three"));
        EXPECT_EQ(client.read_response().body, "abc");
    }
}

TEST(Server, ReadsARequestThatComesByteByByte) {
    TestServer server(routes());
    TestClient client(server.port());
    for (const char byte : std::string_view("POST /echo HTTP/1.1\r\nHost: test\r\nContent-Length: 3\r\n\r\nabc")) {
        client.send({&byte, 1});
    }
    EXPECT_EQ(client.read_response().body, "abc");
}

TEST(Server, ReadsChunkedBodies) {
    TestServer server(routes());
    TestClient client(server.port());
    client.send("POST /echo HTTP/1.1\r\nHost: test\r\nTransfer-Encoding: chunked\r\n\r\n");
    client.send("5\r\nhello\r\n1;name=value\r\n \r\n5\r\nworld\r\n0\r\nTrailer: x\r\n\r\n");
    EXPECT_EQ(client.read_response().body, "hello world");
    EXPECT_EQ(client.get("/hello").status, 200);
}

TEST(Server, AsksForTheBodyWhenTheClientWaitsForThat) {
    TestServer server(routes());
    TestClient client(server.port());
    client.send("POST /echo HTTP/1.1\r\nHost: test\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\n");
    EXPECT_EQ(client.read_until("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
    client.send("abc");
    EXPECT_EQ(client.read_response().body, "abc");
}

TEST(Server, AnswersHeadWithoutABody) {
    TestServer server(routes());
    TestClient client(server.port());
    for (const char* path : {"/hello", "/stream"}) {
        client.send("HEAD " + std::string(path) + " HTTP/1.1\r\nHost: test\r\n\r\n");
        EXPECT_EQ(client.read_response(true).status, 200);
    }
    client.send("HEAD /hello HTTP/1.1\r\nHost: test\r\n\r\n");
    EXPECT_EQ(client.read_response(true).header("Content-Length"), "6");
    EXPECT_EQ(client.get("/hello").body, "hello\n");
}

TEST(Server, TakesAbsoluteTargetsAndEncodedPaths) {
    TestServer server(routes());
    TestClient client(server.port());
    EXPECT_EQ(client.get("http://test/hello").body, "hello\n");
    EXPECT_EQ(client.get("/models/org/name").body, "org/name");
    EXPECT_EQ(client.get("/models/org%2Fname%20x?y=z").body, "org/name x");
}

TEST(Server, KeepsAFaultOfOursFromTheClient) {
    TestServer server(routes());
    TestClient client(server.port());
    for (const char* path : {"/throws", "/nothing"}) {
        const auto response = client.get(path, "x-request-id: my-id\r\n");
        EXPECT_EQ(response.status, 500);
        EXPECT_THAT(response.body, HasSubstr("my-id"));
        EXPECT_THAT(response.body, Not(HasSubstr("secret")));
        EXPECT_THAT(response.body, Not(HasSubstr("handler")));
    }
    EXPECT_EQ(client.get("/hello").status, 200);
}

TEST(Server, NeverLetsHalfAnAnswerLookWhole) {
    TestServer server(routes());
    TestClient chunked(server.port());
    chunked.send("GET /half HTTP/1.1\r\nHost: test\r\n\r\n");
    EXPECT_THAT(chunked.read_until_closed(), Not(HasSubstr("0\r\n\r\n")));
    TestClient old(server.port());
    old.send("GET /half HTTP/1.0\r\n\r\n");
    old.read_until_closed();
    EXPECT_TRUE(old.was_reset());
}

TEST(Server, RefusesConnectionsBeyondItsLimitAtOnce) {
    TestServer server(routes(), {.max_connections = 2});
    TestClient first(server.port());
    TestClient second(server.port());
    EXPECT_EQ(first.get("/hello").status, 200);
    EXPECT_EQ(second.get("/hello").status, 200);
    TestClient third(server.port());
    const auto response = third.get("/hello");
    EXPECT_EQ(response.status, 503);
    EXPECT_EQ(response.header("Retry-After"), "1");
    EXPECT_THAT(response.header("x-request-id"), HasSubstr("req_"));
    EXPECT_EQ(response.header("Connection"), "close");
    EXPECT_EQ(first.get("/hello").status, 200);
}

struct ConnectionCount final : Observer {
    void on_connection_opened() override { ++opened; }
    void on_connection_closed() override { ++closed; }
    std::atomic<int> opened = 0;
    std::atomic<int> closed = 0;
};

TEST(Server, TellsItsObserverOfConnections) {
    ConnectionCount count;
    {
        TestServer server(routes(), {}, &count);
        TestClient first(server.port());
        TestClient second(server.port());
        first.get("/hello");
        second.get("/hello");
        EXPECT_EQ(count.opened, 2);
    }
    EXPECT_EQ(count.closed, 2);
}

TEST(Server, AnswersOthersWhileManyStreamsAreOpen) {
    TestServer server(routes());
    std::vector<std::unique_ptr<TestClient>> streams;
    for (int number = 0; number < 400; ++number) {
        streams.push_back(std::make_unique<TestClient>(server.port()));
        streams.back()->send("GET /ticks HTTP/1.1\r\nHost: test\r\n\r\n");
    }
    for (auto& stream : streams) {
        stream->read_until("data: tick\n\n");
    }
    TestClient other(server.port());
    for (int time = 0; time < 20; ++time) {
        EXPECT_EQ(other.get("/hello").body, "hello\n");
    }
    for (auto& stream : streams) {
        EXPECT_THAT(stream->read_until("data: tick\n\n"), HasSubstr("tick"));
    }
}

TEST(Server, ANameWithAddressesOfBothKindsIsServedOverIpv4) {
    asio::io_context io;
    Server server(io, routes(), {});
    const auto port = server.listen("localhost", 0);
    ASSERT_TRUE(port.has_value()) << port.error().message;
    const TestClient client(*port);  // connects to 127.0.0.1
    EXPECT_TRUE(client.send("GET /hello HTTP/1.1\r\n"));
}

TEST(Server, SaysWhyItCannotListen) {
    TestServer server(routes());
    asio::io_context io;
    Server other(io, routes(), {});
    const auto port = other.listen("127.0.0.1", server.port());
    ASSERT_FALSE(port.has_value());
    EXPECT_THAT(port.error().message, HasSubstr("Address already in use"));
    EXPECT_FALSE(other.listen("no such host.invalid", 0).has_value());
}

}  // namespace
}  // namespace http
