#include "http/errors.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <map>
#include <vector>

namespace http {
namespace {

using base::ErrorCode;
using testing::HasSubstr;
using testing::Not;

boost::json::object error_in(const Response& response) {
    return boost::json::parse(response.body).as_object().at("error").as_object();
}

TEST(ErrorResponse, MapsEveryCodeAndAlwaysHasTheFourKeys) {
    const std::map<ErrorCode, int> statuses{
        {ErrorCode::invalid, 400},      {ErrorCode::not_found, 404},   {ErrorCode::context_length, 400},
        {ErrorCode::busy, 429},         {ErrorCode::too_large, 413},   {ErrorCode::deadline, 504},
        {ErrorCode::cancelled, 499},    {ErrorCode::unavailable, 503}, {ErrorCode::unsupported, 400},
        {ErrorCode::unauthorized, 401}, {ErrorCode::internal, 500},
    };
    for (const auto& [code, status] : statuses) {
        const auto response = error_response({.code = code, .message = "text"});
        EXPECT_EQ(response.status, status) << to_string(code);
        EXPECT_EQ(response.headers.find("Content-Type"), "application/json");
        const auto error = error_in(response);
        for (const char* key : {"message", "type", "param", "code"}) {
            EXPECT_TRUE(error.contains(key)) << to_string(code) << " lacks " << key;
        }
        EXPECT_TRUE(error.at("param").is_null());
        EXPECT_TRUE(error.at("code").is_string());
    }
}

TEST(ErrorResponse, NamesTheFieldAndTheKind) {
    const auto error = error_in(error_response(
        {.code = ErrorCode::context_length, .message = "The prompt has 9 tokens of 8.", .param = "messages"}));
    EXPECT_EQ(error.at("code"), "context_length_exceeded");
    EXPECT_EQ(error.at("param"), "messages");
    EXPECT_EQ(error.at("message"), "The prompt has 9 tokens of 8.");
    EXPECT_EQ(error.at("type"), "invalid_request_error");
    EXPECT_EQ(error_in(error_response({.code = ErrorCode::not_found, .param = "model"})).at("code"), "model_not_found");
}

TEST(ErrorResponse, SaysWhenToComeBack) {
    using std::chrono::milliseconds;
    const auto wait = [](ErrorCode code, std::optional<milliseconds> after) {
        return std::string(
            error_response({.code = code, .retry_after = after}).headers.find("Retry-After").value_or("none"));
    };
    EXPECT_EQ(wait(ErrorCode::busy, milliseconds(2001)), "3");
    EXPECT_EQ(wait(ErrorCode::unavailable, milliseconds(10)), "1");
    EXPECT_EQ(wait(ErrorCode::unavailable, {}), "1");
    EXPECT_EQ(wait(ErrorCode::invalid, milliseconds(10)), "none");
}

TEST(ErrorResponse, ListsEveryFault) {
    const std::vector<base::Error> faults{
        {.code = ErrorCode::invalid, .message = "temperature must be at most 2.", .param = "temperature"},
        {.code = ErrorCode::unsupported, .message = "n must be 1.", .param = "n"},
        {.code = ErrorCode::invalid, .message = "There is no role x.", .param = "messages[0].role"},
    };
    const auto response = error_response(faults);
    EXPECT_EQ(response.status, 400);
    const auto error = error_in(response);
    EXPECT_EQ(error.at("param"), "temperature");
    EXPECT_EQ(error.at("message"), "3 faults: temperature must be at most 2.; n must be 1.; There is no role x.");
    const auto& list = error.at("errors").as_array();
    ASSERT_EQ(list.size(), 3U);
    EXPECT_EQ(list[1].at("param"), "n");
    EXPECT_EQ(list[1].at("message"), "n must be 1.");
    EXPECT_EQ(list[1].at("code"), "unsupported");
    EXPECT_EQ(list[2].at("param"), "messages[0].role");
}

TEST(ErrorResponse, KeepsOurBugsToOurselves) {
    const auto response = error_response({.code = ErrorCode::internal, .message = "null pointer in slot 3"}, "req_1");
    EXPECT_THAT(response.body, Not(HasSubstr("slot")));
    EXPECT_THAT(response.body, HasSubstr("req_1"));
}

TEST(ErrorResponse, IsValidUtf8WhateverItQuotes) {
    const auto body = error_body({.code = ErrorCode::invalid, .message = "no \xff\xc3\xa4 \xe2\x82 \xed\xa0\x80 role"});
    EXPECT_THAT(body, HasSubstr("no \xef\xbf\xbd\xc3\xa4 "));
    EXPECT_NO_THROW(boost::json::parse(body));
}

TEST(ProtocolError, HasTheSameEnvelope) {
    const auto response = protocol_error(405, "No.", "method_not_allowed");
    EXPECT_EQ(response.status, 405);
    EXPECT_EQ(response.body,
              R"({"error":{"message":"No.","type":"invalid_request_error","param":null,"code":"method_not_allowed"}})");
}

TEST(ErrorResponse, HasAFormForAnthropicsClients) {
    const std::map<ErrorCode, std::pair<int, std::string>> faces{
        {ErrorCode::invalid, {400, "invalid_request_error"}},
        {ErrorCode::context_length, {400, "invalid_request_error"}},
        {ErrorCode::unsupported, {400, "invalid_request_error"}},
        {ErrorCode::unauthorized, {401, "authentication_error"}},
        {ErrorCode::not_found, {404, "not_found_error"}},
        {ErrorCode::too_large, {413, "request_too_large"}},
        {ErrorCode::busy, {429, "rate_limit_error"}},
        {ErrorCode::internal, {500, "api_error"}},
        {ErrorCode::deadline, {504, "timeout_error"}},
        {ErrorCode::unavailable, {529, "overloaded_error"}},
    };
    for (const auto& [code, face] : faces) {
        const auto response = error_response({.code = code, .message = "text"}, "req_1", ErrorForm::anthropic);
        EXPECT_EQ(response.status, face.first) << to_string(code);
        const auto body = boost::json::parse(response.body).as_object();
        EXPECT_EQ(body.at("type"), "error");
        EXPECT_EQ(body.at("request_id"), "req_1");
        EXPECT_EQ(body.at("error").at("type"), boost::json::string(face.second)) << to_string(code);
        EXPECT_TRUE(body.at("error").at("message").is_string());
    }
}

TEST(ErrorResponse, TellsAnthropicsClientsWhatTheyLookForInALongPrompt) {
    const auto error = error_in(
        error_response({.code = ErrorCode::context_length, .message = "9 tokens of 8."}, "", ErrorForm::anthropic));
    EXPECT_EQ(error.at("message"), "prompt is too long: 9 tokens of 8.");
}

TEST(ErrorResponse, ListsSeveralFaultsInTheMessageForAnthropicsClients) {
    const std::vector<base::Error> errors{{.code = ErrorCode::invalid, .message = "a is wrong", .param = "a"},
                                          {.code = ErrorCode::invalid, .message = "b is wrong", .param = "b"}};
    const auto response = error_response(errors, "req_1", ErrorForm::anthropic);
    EXPECT_EQ(response.status, 400);
    const auto error = error_in(response);
    EXPECT_EQ(error.at("message"), "2 faults: a is wrong; b is wrong");
    EXPECT_EQ(error.at("param"), "a");
}

}  // namespace
}  // namespace http
