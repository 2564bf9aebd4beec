#include <boost/json/parse.hpp>

#include <gmock/gmock.h>

#include "gateway/api/session_support.hpp"

namespace gateway::api::images {
namespace {

using namespace gateway::api::test;
using http::Method;
using testing::HasSubstr;
using testing::StartsWith;

constexpr const char* wanted = R"({"prompt": "a boat", "response_format": "url", "n": 2, "output_format": "webp"})";

/// The addresses of two pictures.
std::vector<std::string> addresses(Session& session, const std::string& one = "SECOND") {
    auto second = image_done(one, 1);
    second.mutable_image_done()->set_media_type("image/webp");
    auto first = image_done(std::string("FIRST\0", 6), 0);
    first.mutable_image_done()->set_media_type("image/webp");
    session.script = {first, second, finished()};
    const auto answer = session.post("/v1/images/generations", wanted);
    EXPECT_EQ(answer.status, 200) << answer.body;
    std::vector<std::string> found;
    for (const auto& picture : json_of(answer).at("data").as_array()) {
        EXPECT_FALSE(picture.as_object().contains("b64_json"));
        found.emplace_back(picture.at("url").as_string());
    }
    return found;
}

std::string with(std::string text, const std::string& old, const std::string& other) {
    const auto at = text.find(old);
    EXPECT_NE(at, std::string::npos);
    return at == std::string::npos ? text : text.replace(at, old.size(), other);
}

TEST(ImageFiles, AreWhereTheAnswerSays) {
    Session session;
    const auto found = addresses(session);
    ASSERT_EQ(found.size(), 2U);
    EXPECT_THAT(found[0], StartsWith("/v1/images/files/"));
    const auto first = session.get(found[0]);
    EXPECT_EQ(first.status, 200);
    EXPECT_EQ(first.body, std::string("FIRST\0", 6));
    EXPECT_EQ(first.headers.find("Content-Type"), "image/webp");
    EXPECT_EQ(first.headers.find("X-Content-Type-Options"), "nosniff");
    EXPECT_THAT(std::string(first.headers.find("Cache-Control").value()), StartsWith("private, max-age=3"));
    EXPECT_EQ(session.get(found[1]).body, "SECOND");
}

TEST(ImageFiles, NeedAnAddressThatIsRightAndNotOver) {
    Session session;
    const auto found = addresses(session);
    const std::string& right = found[0];
    const std::string expires = right.substr(right.find("expires=") + 8, 10);
    EXPECT_EQ(session.get(with(right, expires, "9999999999")).status, 404) << "a later end than was signed";
    EXPECT_EQ(session.get(with(right, expires, "1000000000")).status, 404) << "over";
    EXPECT_EQ(session.get(with(right, "signature=", "signature=0")).status, 404);
    EXPECT_EQ(session.get(with(right, ".webp", ".png")).status, 404);
    const std::string file = right.substr(0, right.find('?'));
    const std::string other = found[1].substr(0, found[1].find('?'));
    EXPECT_EQ(session.get(with(right, file, other)).status, 404) << "another file's signature";
    EXPECT_EQ(session.get(file).status, 400) << "no signature at all";
}

TEST(ImageFiles, TheOldestMakeRoom) {
    Session session({.bounds = {.bytes = 100'000}});
    const auto first = addresses(session);
    for (int more = 0; more < 4; ++more)
        addresses(session, std::string(30'000, 'x'));
    EXPECT_EQ(session.get(first[0]).status, 404);
    EXPECT_EQ(session.get(addresses(session)[1]).body, "SECOND");
}

TEST(ImageFiles, AreRefusedByNameWhereNoneAreKept) {
    Session session({.keeps = false});
    const auto answer = session.post("/v1/images/generations", wanted);
    EXPECT_EQ(answer.status, 400);
    EXPECT_EQ(json_of(answer).at_pointer("/error/param"), "response_format");
    EXPECT_EQ(session.get("/v1/images/files/a.png?expires=9999999999&signature=a").status, 404);
    const auto streamed =
        session.post("/v1/images/generations", R"({"prompt": "a boat", "response_format": "url", "stream": true})");
    EXPECT_THAT(streamed.body, HasSubstr("when stream is true"));
}

}  // namespace
}  // namespace gateway::api::images
