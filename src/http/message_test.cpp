#include "http/message.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "http/request_head.hpp"
#include "http/sse.hpp"
#include "http/wire.hpp"

namespace http {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(Headers, CompareNamesWithoutCase) {
    Headers headers{{"Content-Type", "a"}, {"X-Other", "b"}, {"content-type", "c"}};
    EXPECT_EQ(headers.find("CONTENT-TYPE"), "a");
    EXPECT_EQ(headers.count("Content-type"), 2U);
    headers.set("CONTENT-type", "d");
    EXPECT_EQ(headers.size(), 2U);
    EXPECT_EQ(headers.find("content-type"), "d");
    EXPECT_FALSE(headers.find("content").has_value());
}

TEST(Headers, KnowTokensOfALists) {
    const Headers headers{{"Connection", "Upgrade,  Keep-Alive "}, {"connection", "close"}};
    EXPECT_TRUE(headers.lists("Connection", "keep-alive"));
    EXPECT_TRUE(headers.lists("Connection", "close"));
    EXPECT_FALSE(headers.lists("Connection", "keep"));
}

TEST(RequestHead, TakesEveryFormOfATarget) {
    const auto path_of = [](std::string_view method, std::string_view target) {
        const auto parsed = parse_head({.method = method, .target = target, .headers = {{"Host", "h"}}}, "peer");
        return parsed ? parsed->request.path + "?" + parsed->request.query : "refused";
    };
    EXPECT_EQ(path_of("GET", "/a%20b?c=%20"), "/a b?c=%20");
    EXPECT_EQ(path_of("GET", "http://host:80/a?b"), "/a?b");
    EXPECT_EQ(path_of("GET", "HTTPS://host"), "/?");
    EXPECT_EQ(path_of("GET", "/a#fragment?b"), "/a?");
    EXPECT_EQ(path_of("OPTIONS", "*"), "*?");
    for (const char* bad : {"*", "host:443", "a/b", "/a%00b", "/%zz", ""}) {
        EXPECT_EQ(path_of("GET", bad), "refused") << bad;
    }
}

TEST(RequestHead, WantsExactlyOneHost) {
    const auto accepted = [](Version version, Headers headers) {
        return parse_head({.method = "GET", .target = "/", .version = version, .headers = std::move(headers)}, "")
            .has_value();
    };
    EXPECT_FALSE(accepted(Version::http_1_1, {}));
    EXPECT_FALSE(accepted(Version::http_1_1, {{"Host", "a"}, {"host", "b"}}));
    EXPECT_TRUE(accepted(Version::http_1_1, {{"hOST", "a"}}));
    EXPECT_TRUE(accepted(Version::http_1_0, {}));
}

TEST(ResponseHead, CannotBeSplitByWhatAClientSent) {
    const auto head = serialized_head({.content_length = 2}, {{"X-Echo", "a\r\nSet-Cookie: b\n\x01"}}, {});
    EXPECT_THAT(head, HasSubstr("X-Echo: a  Set-Cookie: b  \r\n"));
    EXPECT_THAT(head, Not(HasSubstr("\nSet-Cookie")));
}

TEST(ResponseHead, KeepsFramingToItself) {
    const auto head =
        serialized_head({.content_length = 2}, {{"content-length", "99"}, {"Connection", "x"}, {"A", "1"}},
                        {{"a", "2"}, {"transfer-encoding", "gzip"}});
    EXPECT_THAT(head, HasSubstr("Content-Length: 2\r\n"));
    EXPECT_THAT(head, Not(HasSubstr("99")));
    EXPECT_THAT(head, Not(HasSubstr("gzip")));
    EXPECT_THAT(head, Not(HasSubstr("A: 1")));
    EXPECT_THAT(head, HasSubstr("a: 2\r\n"));
}

TEST(ResponseHead, HasADate) {
    EXPECT_THAT(std::string(http_date()), testing::MatchesRegex("..., .. ... .... ..:..:.. GMT"));
}

TEST(SseEvent, GivesEveryLineItsOwnField) {
    EXPECT_EQ(sse_event("{}"), "data: {}\n\n");
    EXPECT_EQ(sse_event("{}", "done"), "event: done\ndata: {}\n\n");
    EXPECT_EQ(sse_event("a\nb\r\nc\rd"), "data: a\ndata: b\ndata: c\ndata: d\n\n");
    EXPECT_EQ(sse_event("a\n\n"), "data: a\ndata: \ndata: \n\n");
    EXPECT_EQ(sse_event(""), "data: \n\n");
}

}  // namespace
}  // namespace http
