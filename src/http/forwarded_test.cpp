#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include <gmock/gmock.h>

#include "http/middleware.hpp"
#include "http/recorded_exchange.hpp"

namespace http {
namespace {

/// Who asks and under which address, as a handler sees it.
std::string seen(Headers headers, std::string peer = "10.0.0.1") {
    asio::io_context io;
    const Router router({{.pattern = "/", .handler = answer_with([](const Request& request) {
                                              return text_response(request.peer + " " + request.base_url);
                                          })}});
    MiddlewareOptions options;
    EXPECT_TRUE(options.trusted_proxies.add("10.0.0.0/8"));
    const auto list = standard_middleware(options, nullptr);
    RecordedExchange exchange(io.get_executor(), {.path = "/", .headers = std::move(headers), .peer = std::move(peer)});
    const auto match = router.match(Method::get, "/");
    asio::co_spawn(io, Next(list, match)(exchange), [](const std::exception_ptr& failure) { EXPECT_FALSE(failure); });
    io.run();
    return exchange.answer().body;
}

TEST(Forwarded, WithoutAProxyTheAddressIsTheOneThatWasAsked) {
    EXPECT_EQ(seen({{"Host", "127.0.0.1:8080"}}, "127.0.0.1"), "127.0.0.1 http://127.0.0.1:8080");
    EXPECT_EQ(seen({{"Host", "[::1]:8080"}}, "::1"), "::1 http://[::1]:8080");
    EXPECT_EQ(seen({}, "127.0.0.1"), "127.0.0.1 ");
    EXPECT_EQ(seen({{"Host", "a/../\"b"}}, "127.0.0.1"), "127.0.0.1 ");
}

TEST(Forwarded, AProxyThatIsTrustedIsBelieved) {
    EXPECT_EQ(seen({{"Host", "inner:8080"},
                    {"X-Forwarded-For", "203.0.113.9"},
                    {"X-Forwarded-Proto", "https"},
                    {"X-Forwarded-Host", "ai.example.org"},
                    {"X-Forwarded-Prefix", "/models/"}}),
              "203.0.113.9 https://ai.example.org/models");
    EXPECT_EQ(seen({{"Host", "ai.example.org"}, {"X-Forwarded-Proto", "https, http"}}),
              "10.0.0.1 https://ai.example.org");
    EXPECT_EQ(seen({{"Host", "a"}, {"X-Forwarded-Host", "b"}, {"X-Forwarded-Port", "8443"}}), "10.0.0.1 http://b:8443");
    EXPECT_EQ(seen({{"Host", "a"}, {"X-Forwarded-Proto", "https"}, {"X-Forwarded-Port", "443"}}), "10.0.0.1 https://a");
    EXPECT_EQ(seen({{"Host", "a:1"}, {"X-Forwarded-Port", "2"}}), "10.0.0.1 http://a:1");
}

TEST(Forwarded, ANobodyIsNot) {
    EXPECT_EQ(seen({{"Host", "inner"},
                    {"X-Forwarded-For", "203.0.113.9"},
                    {"X-Forwarded-Proto", "https"},
                    {"X-Forwarded-Host", "evil.example"},
                    {"X-Forwarded-Prefix", "/evil"}},
                   "192.0.2.1"),
              "192.0.2.1 http://inner");
}

TEST(Forwarded, TheClientIsTheLastAddressThatNoTrustedProxyHas) {
    EXPECT_EQ(seen({{"Host", "a"}, {"X-Forwarded-For", "1.1.1.1, 203.0.113.9, 10.0.0.7"}}), "203.0.113.9 http://a");
    EXPECT_EQ(seen({{"Host", "a"}, {"X-Forwarded-For", "1.1.1.1"}, {"X-Forwarded-For", "203.0.113.9"}}),
              "203.0.113.9 http://a");
    EXPECT_EQ(seen({{"Host", "a"}, {"X-Forwarded-For", " "}}), "10.0.0.1 http://a");
}

TEST(Forwarded, WhatIsNoHostPortOrPrefixIsLeftOut) {
    EXPECT_EQ(seen({{"Host", "a"},
                    {"X-Forwarded-Host", "b\" onload"},
                    {"X-Forwarded-Port", "8x"},
                    {"X-Forwarded-Prefix", "//evil.example"},
                    {"X-Forwarded-Proto", "javascript"}}),
              "10.0.0.1 http://a");
}

}  // namespace
}  // namespace http
