/// Whatever bytes come, the server answers with a 4xx in the usual envelope or closes, and goes on serving others.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "http/server.hpp"
#include "http/test_server.hpp"

namespace http {
namespace {

using testing::HasSubstr;
using namespace std::chrono_literals;

std::vector<Route> routes() {
    return {{.pattern = "/hello", .handler = answer_with([](const Request&) { return text_response("hello\n"); })},
            {.method = Method::post, .pattern = "/echo", .handler = answer_with([](const Request& request) {
                                                             return text_response(request.body);
                                                         })}};
}

std::vector<std::string> malformed() {
    const std::string host = "Host: test\r\n";
    return {
        "\r\n\r\nGET\r\n\r\n",
        "GET\r\n\r\n",
        "GET /hello\r\n\r\n",
        "GET /hello HTTP/9.9\r\n" + host + "\r\n",
        "GET /hello HTTP/2.0\r\n" + host + "\r\n",
        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        "GET /hello HTTP/1.1\r\n\r\n",
        "GET /hello HTTP/1.1\r\n" + host + host + "\r\n",
        "GET hello HTTP/1.1\r\n" + host + "\r\n",
        "GET /%zz HTTP/1.1\r\n" + host + "\r\n",
        "GET /a%00b HTTP/1.1\r\n" + host + "\r\n",
        "GET  /hello HTTP/1.1\r\n" + host + "\r\n",
        "GET /hello HTTP/1.1\r\nNo colon\r\n\r\n",
        "GET /hello HTTP/1.1\r\n: no name\r\n\r\n",
        "GET /hello HTTP/1.1\r\nBad Name: x\r\n" + host + "\r\n",
        "GET /hello HTTP/1.1\r\nX: a\x01"
        "b\r\n" +
            host + "\r\n",
        "G\xc3\xa4T /hello HTTP/1.1\r\n" + host + "\r\n",
        "POST /echo HTTP/1.1\r\n" + host + "Content-Length: x\r\n\r\n",
        "POST /echo HTTP/1.1\r\n" + host + "Content-Length: -1\r\n\r\n",
        "POST /echo HTTP/1.1\r\n" + host + "Content-Length: 99999999999999999999999\r\n\r\n",
        "POST /echo HTTP/1.1\r\n" + host + "Content-Length: 3\r\nContent-Length: 4\r\n\r\nabcd",
        "POST /echo HTTP/1.1\r\n" + host + "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "POST /echo HTTP/1.1\r\n" + host + "Transfer-Encoding: chunked\r\n\r\nzz\r\nabc\r\n0\r\n\r\n",
        "POST /echo HTTP/1.1\r\n" + host + "Transfer-Encoding: chunked\r\n\r\n3\r\nabcd\r\n0\r\n\r\n",
        "POST /echo HTTP/1.1\r\n" + host + "Transfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n",
        "POST /echo HTTP/1.1\r\n" + host + "Transfer-Encoding: gzip\r\n\r\n",
        "POST /echo HTTP/1.1\r\n" + host + "Transfer-Encoding: chunked, gzip\r\n\r\n0\r\n\r\n",
        "POST /echo HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "POST /echo HTTP/1.1\r\n" + host + "Expect: a-miracle\r\nContent-Length: 3\r\n\r\nabc",
        std::string("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", 15),  // TLS on the plain port
        std::string("\0\0\0\0\r\n\r\n", 8),
    };
}

TEST(Malformed, IsRefusedInTheUsualEnvelopeAndTheConnectionEnds) {
    TestServer server(routes());
    for (const std::string& bytes : malformed()) {
        TestClient client(server.port());
        client.send(bytes);
        const auto response = client.read_response();
        EXPECT_GE(response.status, 400) << bytes;
        EXPECT_LT(response.status, 500) << bytes;
        EXPECT_THAT(response.body, HasSubstr("{\"error\":{\"message\":")) << bytes;
        EXPECT_NE(response.header("x-request-id"), "") << bytes;
        EXPECT_EQ(response.header("Connection"), "close") << bytes;
        client.close_sending_side();
        EXPECT_TRUE(client.is_closed()) << bytes;
    }
}

TEST(Malformed, AnUnknownMethodIsOneThatThePathDoesNotHave) {
    TestServer server(routes());
    TestClient client(server.port());
    client.send("BREW /hello HTTP/1.1\r\nHost: test\r\n\r\n");
    const auto response = client.read_response();
    EXPECT_EQ(response.status, 405);
    EXPECT_EQ(response.header("Allow"), "GET, HEAD, OPTIONS");
    EXPECT_EQ(client.get("/hello").status, 200);
}

std::string mutated(std::string bytes, std::mt19937& random) {
    const auto below = [&](std::size_t limit) {
        return std::uniform_int_distribution<std::size_t>(0, limit - 1)(random);
    };
    for (std::size_t edits = 1 + below(4); edits > 0 && !bytes.empty(); --edits) {
        const auto at = below(bytes.size());
        switch (below(5)) {
            case 0: bytes[at] = static_cast<char>(below(256)); break;
            case 1: bytes.erase(at, 1 + below(8)); break;
            case 2: bytes.insert(at, 1 + below(8), static_cast<char>(below(256))); break;
            case 3: bytes.insert(at, bytes.substr(below(bytes.size()), below(40))); break;
            default: bytes.resize(at); break;
        }
    }
    return bytes;
}

/// Statuses of all the answers in what a connection received; empty when something there is no answer.
std::vector<int> statuses(TestClient& client) {
    std::vector<int> found;
    while (!client.is_closed()) {
        const auto response = client.read_response();
        if (response.status == 0) {
            return {};
        }
        found.push_back(response.status);
    }
    return found;
}

TEST(Malformed, ThousandsOfMutationsAreNeverMoreThanA4xx) {
    TestServer server(routes(), {.head_timeout = 2s, .body_timeout = 2s});
    std::vector<std::string> seeds{
        "GET /hello HTTP/1.1\r\nHost: test\r\nAccept: */*\r\n\r\n",
        "POST /echo HTTP/1.1\r\nHost: test\r\nContent-Length: 11\r\n\r\nhello world",
        "POST /echo HTTP/1.1\r\nHost: test\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n6;x=y\r\n "
        "world\r\n0\r\nT: t\r\n\r\n",
        "GET /hello HTTP/1.0\r\nConnection: keep-alive\r\n\r\nGET /hello HTTP/1.0\r\n\r\n",
    };
    std::mt19937 random(20250101);
    for (int round = 0; round < 3000; ++round) {
        const auto bytes = mutated(seeds[static_cast<std::size_t>(round) % seeds.size()], random);
        TestClient client(server.port());
        client.send(bytes);
        client.close_sending_side();
        for (const int status : statuses(client)) {
            EXPECT_TRUE((status >= 200 && status < 300) || (status >= 400 && status < 500) || status == 100) << bytes;
        }
    }
    TestClient client(server.port());
    EXPECT_EQ(client.get("/hello").status, 200);
}

TEST(Malformed, RandomBytesAreRefused) {
    TestServer server(routes(), {.head_timeout = 2s});
    std::mt19937 random(7);
    for (int round = 0; round < 1000; ++round) {
        std::string bytes(1 + random() % 300, '\0');
        for (char& byte : bytes) {
            byte = static_cast<char>(random());
        }
        TestClient client(server.port());
        client.send(bytes + "\r\n\r\n");
        client.close_sending_side();
        for (const int status : statuses(client)) {
            EXPECT_TRUE(status >= 400 && status < 500) << status;
        }
    }
}

}  // namespace
}  // namespace http
