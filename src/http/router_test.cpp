#include "http/router.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace http {
namespace {

Route route(Method method, std::string pattern) {
    return {.method = method, .pattern = std::move(pattern), .handler = answer_with([](const Request&) {
                                                                 return Response{};
                                                             })};
}

Router some_router() {
    return Router({route(Method::get, "/"), route(Method::get, "/v1/models"),
                   route(Method::get, "/v1/models/{model...}"), route(Method::delete_, "/v1/models/{model}"),
                   route(Method::get, "/v1/models/default"), route(Method::post, "/v1/files/{file}/content")});
}

std::string pattern_of(const Match& match) {
    return match.route == nullptr ? "none" : match.route->pattern;
}

TEST(Router, PrefersFixedTextOverOneSegmentOverTheRest) {
    const auto router = some_router();
    EXPECT_EQ(pattern_of(router.match(Method::get, "/v1/models/default")), "/v1/models/default");
    EXPECT_EQ(pattern_of(router.match(Method::get, "/v1/models/other")), "/v1/models/{model...}");
    EXPECT_EQ(pattern_of(router.match(Method::delete_, "/v1/models/other")), "/v1/models/{model}");
    EXPECT_EQ(pattern_of(router.match(Method::get, "/")), "/");
}

TEST(Router, APathThatIsNamedHasItsOwnMethodsOnly) {
    const auto match = some_router().match(Method::delete_, "/v1/models/default");
    EXPECT_EQ(match.route, nullptr) << "no parameter of another pattern can be called so";
    EXPECT_EQ(match.allowed, (std::vector{Method::get, Method::head}));
}

TEST(Router, DecodesParameters) {
    const auto router = some_router();
    const auto one = router.match(Method::post, "/v1/files/a%2Fb%20c/content");
    ASSERT_EQ(one.parameters.size(), 1U);
    EXPECT_EQ(one.parameters[0].first, "file");
    EXPECT_EQ(one.parameters[0].second, "a/b c");
    EXPECT_EQ(router.match(Method::get, "/v1/models/org/name:tag").parameters.at(0).second, "org/name:tag");
}

TEST(Router, HasNothingForOtherPaths) {
    const auto router = some_router();
    for (const char* path : {"/v1", "/v1/models/", "/v1/models2", "//", "/v1/files//content", "/v1/files/x/content/y",
                             "/v1/files/%2/content", "", "v1/models"}) {
        const auto match = router.match(Method::get, path);
        EXPECT_EQ(match.route, nullptr) << path;
        EXPECT_TRUE(match.allowed.empty()) << path;
    }
}

TEST(Router, NamesTheMethodsAPathHas) {
    const auto router = some_router();
    const auto match = router.match(Method::post, "/v1/models/x");
    EXPECT_EQ(match.route, nullptr);
    EXPECT_EQ(match.allowed, (std::vector{Method::get, Method::head, Method::delete_}));
    EXPECT_EQ(router.match(Method::other, "/v1/models").route, nullptr);
}

TEST(Router, AnswersHeadWhereItAnswersGet) {
    const auto router = some_router();
    EXPECT_EQ(pattern_of(router.match(Method::head, "/v1/models")), "/v1/models");
    EXPECT_EQ(router.match(Method::head, "/v1/files/x/content").route, nullptr);
}

TEST(Router, RefusesTablesThatAreBugs) {
    EXPECT_THROW(Router({route(Method::get, "no-slash")}), std::invalid_argument);
    EXPECT_THROW(Router({route(Method::get, "/{rest...}/more")}), std::invalid_argument);
    EXPECT_THROW(Router({route(Method::get, "/a{b}")}), std::invalid_argument);
    EXPECT_THROW(Router({route(Method::get, "/a"), route(Method::get, "/a")}), std::invalid_argument);
}

TEST(PercentDecoded, KnowsBrokenEscapes) {
    EXPECT_EQ(percent_decoded("a%20b%C3%a4"), "a b\xc3\xa4");
    for (const char* broken : {"%", "%2", "%g0", "a%0", "%%20"}) {
        EXPECT_EQ(percent_decoded(broken), std::nullopt) << broken;
    }
}

}  // namespace
}  // namespace http
