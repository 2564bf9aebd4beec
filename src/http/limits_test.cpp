/// Sizes and times: what a client may not exceed, and how it hears of that.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>

#include "http/server.hpp"
#include "http/test_server.hpp"

namespace http {
namespace {

using testing::HasSubstr;
using namespace std::chrono_literals;

std::vector<Route> routes() {
    const auto size =
        answer_with([](const Request& request) { return text_response(std::to_string(request.body.size())); });
    return {{.method = Method::post, .pattern = "/size", .handler = size, .consumes = {"application/json"}},
            {.method = Method::post, .pattern = "/large", .handler = size, .body_limit_bytes = 1U << 20U},
            {.pattern = "/hello", .handler = answer_with([](const Request&) { return text_response("hello\n"); })}};
}

ServerOptions small_body() {
    return {.middleware = {.body_limit_bytes = 1000}};
}

TEST(BodyLimit, RefusesALengthThatIsTooLargeAndKeepsTheConnectionWhenItIsSmallAllTheSame) {
    TestServer server(routes(), small_body());
    TestClient client(server.port());
    const auto response = client.post("/size", std::string(1001, 'x'));
    EXPECT_EQ(response.status, 413);
    EXPECT_THAT(response.body, HasSubstr("\"code\":\"request_too_large\""));
    EXPECT_THAT(response.body, HasSubstr("1000"));
    EXPECT_EQ(client.post("/size", std::string(1000, 'x')).body, "1000");
}

TEST(BodyLimit, DeliversTheRefusalOfABodyThatIsStillBeingSent) {
    TestServer server(routes(), small_body());
    TestClient client(server.port());
    // More than the sockets buffer: the server must take it, or the reset of its closing overtakes its answer.
    const auto response = client.post("/size", std::string(20U << 20U, 'x'));
    EXPECT_EQ(response.status, 413);
    EXPECT_EQ(response.header("Connection"), "close");
    EXPECT_TRUE(client.is_closed());
}

TEST(BodyLimit, HoldsForChunksToo) {
    TestServer server(routes(), small_body());
    TestClient client(server.port());
    client.send("POST /size HTTP/1.1\r\nHost: test\r\nTransfer-Encoding: chunked\r\n\r\n");
    for (int chunk = 0; chunk < 11; ++chunk) {
        client.send("64\r\n" + std::string(100, 'x') + "\r\n");
    }
    EXPECT_EQ(client.read_response().status, 413);
    EXPECT_TRUE(client.is_closed());
}

TEST(BodyLimit, RefusesBeforeAskingForTheBody) {
    TestServer server(routes(), small_body());
    TestClient client(server.port());
    client.send("POST /size HTTP/1.1\r\nHost: test\r\nContent-Length: 5000\r\nExpect: 100-continue\r\n\r\n");
    EXPECT_EQ(client.read_response().status, 413);
}

TEST(BodyLimit, MayBeARoutesOwn) {
    TestServer server(routes(), small_body());
    TestClient client(server.port());
    EXPECT_EQ(client.post("/large", std::string(500'000, 'x')).body, "500000");
}

TEST(HeadLimit, RefusesWhatIsTooLong) {
    TestServer server(routes(), {.header_limit_bytes = 2000});
    TestClient client(server.port());
    const auto response = client.get("/hello", "X-Long: " + std::string(3000, 'x') + "\r\n");
    EXPECT_EQ(response.status, 431);
    EXPECT_THAT(response.body, HasSubstr("\"error\""));
    EXPECT_TRUE(client.is_closed());
    TestClient other(server.port());
    EXPECT_EQ(other.get("/" + std::string(3000, 'x')).status, 431);
    TestClient endless(server.port());
    endless.send("GET /hello HTTP/1.1\r\nX-Long: " + std::string(200'000, 'x'));
    EXPECT_EQ(endless.read_response().status, 431);
}

TEST(MediaType, IsCheckedWhenGiven) {
    TestServer server(routes());
    TestClient client(server.port());
    EXPECT_EQ(client.post("/size", "{}", "Content-Type: Application/JSON; charset=utf-8\r\n").status, 200);
    EXPECT_EQ(client.post("/size", "{}").status, 200);
    const auto response = client.post("/size", "{}", "Content-Type: text/plain\r\n");
    EXPECT_EQ(response.status, 415);
    EXPECT_THAT(response.body, HasSubstr("application/json"));
    EXPECT_EQ(client.post("/size", "{}", "Content-Encoding: gzip\r\n").status, 415);
    EXPECT_EQ(client.get("/hello").status, 200);
}

TEST(Timeouts, EndAHeadThatDoesNotCome) {
    TestServer server(routes(), {.head_timeout = 30ms});
    TestClient client(server.port());
    client.send("GET /hello HTTP/1.1\r\nHost: te");
    EXPECT_EQ(client.read_response().status, 408);
    EXPECT_TRUE(client.is_closed());
}

TEST(Timeouts, CloseAConnectionThatNeverSendsAnything) {
    TestServer server(routes(), {.head_timeout = 30ms});
    TestClient client(server.port());
    EXPECT_TRUE(client.is_closed());
}

TEST(Timeouts, EndABodyThatDoesNotCome) {
    TestServer server(routes(), {.body_timeout = 30ms});
    TestClient client(server.port());
    client.send("POST /size HTTP/1.1\r\nHost: test\r\nContent-Length: 10\r\n\r\nabc");
    const auto response = client.read_response();
    EXPECT_EQ(response.status, 408);
    EXPECT_THAT(response.body, HasSubstr("request_timeout"));
}

TEST(Timeouts, EndABodyThatIsNotCompleteByTheDeadline) {
    auto slow = routes();
    slow[0].deadline = 30ms;
    TestServer server(std::move(slow));
    TestClient client(server.port());
    client.send("POST /size HTTP/1.1\r\nHost: test\r\nContent-Length: 10\r\n\r\nabc");
    EXPECT_EQ(client.read_response().status, 408);
}

TEST(Timeouts, CloseAnIdleConnection) {
    TestServer server(routes(), {.idle_timeout = 30ms});
    TestClient client(server.port());
    EXPECT_EQ(client.get("/hello").status, 200);
    EXPECT_TRUE(client.is_closed());
}

TEST(LargeAnswer, ArrivesWhole) {
    const std::string large(30U << 20U, 'x');
    TestServer server(
        {{.pattern = "/large", .handler = answer_with([&](const Request&) { return text_response(large); })}});
    TestClient client(server.port());
    EXPECT_EQ(client.get("/large").body, large);
}

asio::awaitable<void> send_without_end(std::promise<void>& ended, Exchange& exchange) {
    co_await exchange.start_stream({});
    while (co_await exchange.write(std::string(100'000, 'x'))) {
    }
    ended.set_value();
}

TEST(Timeouts, EndAStreamWhoseClientStopsReading) {
    std::promise<void> ended;
    TestServer server({{.pattern = "/endless",
                        .handler = [&ended](Exchange& exchange) { return send_without_end(ended, exchange); }}},
                      {.write_timeout = 50ms});
    TestClient client(server.port());
    client.send("GET /endless HTTP/1.1\r\nHost: test\r\n\r\n");
    EXPECT_EQ(ended.get_future().wait_for(20s), std::future_status::ready);
}

}  // namespace
}  // namespace http
