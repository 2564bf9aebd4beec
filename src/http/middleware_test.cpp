#include "http/middleware.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <cmath>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/json/parse.hpp>

#include "http/auth.hpp"
#include "http/recorded_exchange.hpp"

namespace http {
namespace {

using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Not;

asio::awaitable<void> leave_while_answering(Exchange& exchange) {
    static_cast<RecordedExchange&>(exchange).leave();
    co_return;
}

std::vector<Route> routes() {
    const auto hello = answer_with([](const Request&) { return text_response("hello\n"); });
    return {
        {.pattern = "/health", .handler = hello, .access = Access::open},
        {.pattern = "/v1/models", .handler = hello},
        {.pattern = "/caller",
         .handler = answer_with([](const Request& request) { return text_response(request.caller); })},
        {.pattern = "/leaves", .handler = leave_while_answering, .access = Access::open},
        {.method = Method::post,
         .pattern = "/v1/chat",
         .handler = answer_with([](const Request& request) {
             return text_response(request.deadline == base::TimePoint::max() ? "no deadline" : "deadline");
         })},
        {.method = Method::post,
         .pattern = "/v1/messages",
         .handler = hello,
         .consumes = {"application/json"},
         .error_form = ErrorForm::anthropic},
        {.pattern = "/seconds", .handler = answer_with([](const Request& request) {
                                    const auto left = request.deadline - std::chrono::steady_clock::now();
                                    return text_response(std::to_string(std::lround(base::seconds(left) / 10) * 10));
                                })}};
}

struct Call {
    Method method = Method::get;
    std::string path = "/v1/models";
    Headers headers;
};

/// Runs the whole list around a handler, without a socket.
Response answer(const Call& call, const MiddlewareOptions& options = {}, Observer* observer = nullptr) {
    asio::io_context io;
    const Router router(routes());
    const auto list = standard_middleware(options, observer);
    RecordedExchange exchange(io.get_executor(), {.method = call.method, .path = call.path, .headers = call.headers});
    const auto match = router.match(call.method, call.path);
    asio::co_spawn(io, Next(list, match)(exchange), [](const std::exception_ptr& failure) { EXPECT_FALSE(failure); });
    io.run();
    return exchange.answer();
}

std::string header(const Response& response, std::string_view name) {
    return std::string(response.headers.find(name).value_or("none"));
}

TEST(RequestId, TakesASaneOneAndMakesOneOtherwise) {
    EXPECT_EQ(header(answer({.headers = {{"X-Request-ID", "trace-1:a.b_c"}}}), "x-request-id"), "trace-1:a.b_c");
    for (const std::string& bad : {std::string(), std::string("a b"), std::string("a\x01"), std::string(129, 'a')}) {
        EXPECT_THAT(header(answer({.headers = {{"x-request-id", bad}}}), "x-request-id"),
                    MatchesRegex("req_[0-9a-f]{32}"));
    }
    EXPECT_NE(header(answer({}), "x-request-id"), header(answer({}), "x-request-id"));
}

TEST(RequestId, IsOnRefusalsToo) {
    EXPECT_THAT(header(answer({.path = "/nowhere"}), "x-request-id"), HasSubstr("req_"));
    EXPECT_THAT(header(answer({}, {.api_keys = {"key"}}), "x-request-id"), HasSubstr("req_"));
}

TEST(Routing, Gives404And405WithTheMethodsThereAre) {
    const auto nowhere = answer({.path = "/nowhere"});
    EXPECT_EQ(nowhere.status, 404);
    EXPECT_THAT(nowhere.body, HasSubstr("There is no GET /nowhere here."));
    const auto wrong = answer({.method = Method::delete_});
    EXPECT_EQ(wrong.status, 405);
    EXPECT_EQ(header(wrong, "Allow"), "GET, HEAD, OPTIONS");
    EXPECT_THAT(wrong.body, HasSubstr("method_not_allowed"));
    const auto options = answer({.method = Method::options});
    EXPECT_EQ(options.status, 204);
    EXPECT_EQ(header(options, "Allow"), "GET, HEAD, OPTIONS");
    EXPECT_EQ(answer({.method = Method::options, .path = "*"}).status, 204);
}

TEST(ErrorForm, IsThatOfTheRouteOrOfTheClientWhereThereIsNone) {
    const Headers anthropic{{"anthropic-version", "2023-06-01"}};
    const auto type_of = [](const Response& response) {
        return boost::json::parse(response.body).at("error").at("type");
    };
    const MiddlewareOptions keys{.api_keys = {"first"}};
    const auto stranger = answer({.method = Method::post, .path = "/v1/messages"}, keys);
    EXPECT_EQ(stranger.status, 401);
    EXPECT_EQ(type_of(stranger), "authentication_error");
    EXPECT_EQ(header(stranger, "request-id"), header(stranger, "x-request-id"));
    const Headers text{{"Content-Type", "text/plain"}};
    const auto no_json = answer({.method = Method::post, .path = "/v1/messages", .headers = text});
    EXPECT_EQ(no_json.status, 415);
    EXPECT_EQ(boost::json::parse(no_json.body).at("type"), "error");
    const auto nowhere = answer({.path = "/v1/messages/batches", .headers = anthropic});
    EXPECT_EQ(nowhere.status, 404);
    EXPECT_EQ(type_of(nowhere), "not_found_error");
    const auto wrong = answer({.path = "/v1/messages", .headers = anthropic});
    EXPECT_EQ(wrong.status, 405);
    EXPECT_EQ(boost::json::parse(wrong.body).at("type"), "error");
    EXPECT_EQ(type_of(answer({.path = "/nowhere"})), "invalid_request_error");
}

TEST(Auth, TakesABearerKeyInAnyCaseOfTheSchemeAnApiKeyHeaderOrAPassword) {
    const MiddlewareOptions options{.api_keys = {"first", "second"}};
    for (const Headers& headers : {Headers{{"Authorization", "Bearer first"}},
                                   Headers{{"authorization", "bEARER  second"}}, Headers{{"x-api-key", "first"}},
                                   // anybody:first, as programs send that know only passwords
                                   Headers{{"Authorization", "Basic YW55Ym9keTpmaXJzdA=="}}}) {
        EXPECT_EQ(answer({.headers = headers}, options).status, 200);
    }
}

TEST(Auth, SaysWhoseKeyItWas) {
    const MiddlewareOptions options{.api_keys = {{"first", "alice"}, {"second", "bob"}}};
    EXPECT_EQ(answer({.path = "/caller", .headers = {{"Authorization", "Bearer second"}}}, options).body, "bob");
}

TEST(Auth, RefusesEverythingElse) {
    const MiddlewareOptions options{.api_keys = {"first"}};
    for (const Headers& headers :
         {Headers{}, Headers{{"Authorization", "Bearer"}}, Headers{{"Authorization", "Bearer "}},
          Headers{{"Authorization", "Bearer firs"}}, Headers{{"Authorization", "Bearer firstfirst"}},
          Headers{{"Authorization", "Bearer FIRST"}}, Headers{{"Authorization", "Basic first"}},
          Headers{{"Authorization", "Basic Zmlyc3Q6"}}, Headers{{"Authorization", "Basic Zmlyc3Q="}},
          Headers{{"Authorization", "Basic !"}}, Headers{{"Authorization", "first"}}, Headers{{"x-api-key", ""}}}) {
        const auto response = answer({.headers = headers}, options);
        EXPECT_EQ(response.status, 401);
        EXPECT_EQ(header(response, "WWW-Authenticate"), "Bearer");
        EXPECT_THAT(response.body, HasSubstr("\"code\":\"invalid_api_key\""));
        EXPECT_THAT(response.body, Not(HasSubstr("first")));
    }
}

TEST(Auth, LetsProbesThroughAndTellsStrangersNothingOfPaths) {
    const MiddlewareOptions options{.api_keys = {"first"}};
    EXPECT_EQ(answer({.path = "/health"}, options).status, 200);
    EXPECT_EQ(answer({.path = "/nowhere"}, options).status, 401);
    EXPECT_EQ(answer({.method = Method::delete_}, options).status, 401);
    EXPECT_EQ(answer({.path = "/nowhere"}).status, 404);
}

TEST(Auth, ComparesWholeKeys) {
    EXPECT_TRUE(same_key("abc", "abc"));
    for (const char* other : {"", "ab", "abcd", "abd", "abcabc", "ABC"}) {
        EXPECT_FALSE(same_key(other, "abc")) << other;
    }
    EXPECT_FALSE(same_key("", ""));
}

TEST(Cors, AnswersAPreflightWithoutAKey) {
    const auto response = answer({.method = Method::options,
                                  .path = "/v1/chat",
                                  .headers = {{"Origin", "https://chat.example"},
                                              {"Access-Control-Request-Method", "POST"},
                                              {"Access-Control-Request-Headers", "authorization, x-stainless-os"}}},
                                 {.api_keys = {"key"}, .cors = {.origins = {"https://chat.example"}}});
    EXPECT_EQ(response.status, 204);
    EXPECT_EQ(header(response, "Access-Control-Allow-Origin"), "https://chat.example");
    EXPECT_EQ(header(response, "Access-Control-Allow-Methods"), "POST");
    EXPECT_EQ(header(response, "Access-Control-Allow-Headers"), "authorization, x-stainless-os");
    EXPECT_EQ(header(response, "Access-Control-Max-Age"), "600");
    EXPECT_EQ(header(response, "Vary"), "Origin");
}

TEST(Cors, MarksAnswersAndErrorsForAllowedOriginsOnly) {
    const MiddlewareOptions some{.cors = {.origins = {"https://chat.example"}}};
    const MiddlewareOptions all{.cors = {.origins = {"*"}}};
    const auto allowed = [](const Call& call, const MiddlewareOptions& options) {
        return header(answer(call, options), "Access-Control-Allow-Origin");
    };
    EXPECT_EQ(allowed({.headers = {{"Origin", "https://chat.example"}}}, some), "https://chat.example");
    EXPECT_EQ(allowed({.path = "/nowhere", .headers = {{"Origin", "https://chat.example"}}}, some),
              "https://chat.example");
    EXPECT_EQ(allowed({.headers = {{"Origin", "https://evil.example"}}}, some), "none");
    EXPECT_EQ(allowed({.headers = {{"Origin", "https://evil.example"}}}, {}), "none");
    EXPECT_EQ(allowed({.headers = {{"Origin", "https://any.example"}}}, all), "*");
    EXPECT_EQ(allowed({}, all), "none");
    EXPECT_EQ(header(answer({}, some), "Vary"), "Origin");
    EXPECT_EQ(header(answer({.headers = {{"Origin", "https://any.example"}}}, all), "Vary"), "none");
}

asio::awaitable<void> note_and_answer(Exchange& exchange) {
    exchange.note({"model", "first"});
    exchange.note({"model", "smollm2"});
    exchange.note({"tokens", 12});
    co_await exchange.send(text_response("hello\n"));
}

TEST(AccessLog, WritesOneLineARequestWithoutSecrets) {
    base::log::setup("gateway", base::log::Level::info, base::log::Format::json);
    asio::io_context io;
    const Router router({{.pattern = "/{name}", .handler = note_and_answer}});
    const auto list = standard_middleware({.api_keys = {"secret-key"}}, nullptr);
    RecordedExchange exchange(io.get_executor(), {.path = "/a\xff",
                                                  .query = "token=secret-query",
                                                  .headers = {{"Authorization", "Bearer secret-key"}},
                                                  .peer = "10.0.0.1"});
    const auto match = router.match(Method::get, "/a");
    testing::internal::CaptureStderr();
    asio::co_spawn(io, Next(list, match)(exchange), asio::detached);
    io.run();
    const auto text = testing::internal::GetCapturedStderr();
    EXPECT_THAT(text, Not(HasSubstr("secret")));
    const auto line = boost::json::parse(text).as_object();
    EXPECT_EQ(line.at("message"), "request");
    EXPECT_EQ(line.at("id").as_string(), exchange.request().id);
    EXPECT_EQ(line.at("method"), "GET");
    EXPECT_EQ(line.at("path"), "/a\xef\xbf\xbd");
    EXPECT_EQ(line.at("status"), 200);
    EXPECT_EQ(line.at("bytes"), 6);
    EXPECT_EQ(line.at("peer"), "10.0.0.1");
    EXPECT_EQ(line.at("model"), "smollm2");
    EXPECT_EQ(line.at("tokens"), 12);
    EXPECT_TRUE(line.at("seconds").is_double());
}

TEST(Deadline, IsSetBeforeTheHandlerRuns) {
    EXPECT_EQ(answer({.method = Method::post, .path = "/v1/chat"}).body, "deadline");
}

struct Recorder final : Observer {
    void on_request_started() override { ++started; }
    void on_request_finished(const Finished& finished) override {
        seen.push_back(std::string(finished.endpoint) + " " + std::to_string(finished.status));
    }
    int started = 0;
    std::vector<std::string> seen;
};

TEST(Deadline, IsWhatTheClientAsksForIfThatIsEarlier) {
    const MiddlewareOptions options{.deadline = std::chrono::seconds(600)};
    const auto seconds = [&](const char* wanted) {
        return answer({.path = "/seconds", .headers = {{"x-request-timeout", wanted}}}, options).body;
    };
    EXPECT_EQ(seconds("300"), "300");
    EXPECT_EQ(seconds("299.5"), "300");
    EXPECT_EQ(seconds("1000"), "600");
    for (const char* nonsense : {"", "soon", "30s", "-5", "0", "nan", "inf", "1e400"}) {
        EXPECT_EQ(seconds(nonsense), "600") << nonsense;
    }
}

TEST(Observer, SeesEveryOutcomeWithABoundedName) {
    Recorder recorder;
    answer({}, {}, &recorder);
    answer({.path = "/nowhere"}, {}, &recorder);
    answer({.path = "/health"}, {}, &recorder);
    answer({.path = "/leaves"}, {}, &recorder);
    answer({}, {.api_keys = {"key"}}, &recorder);
    EXPECT_EQ(recorder.started, 5);
    EXPECT_THAT(recorder.seen,
                testing::ElementsAre("/v1/models 200", "other 404", "/health 200", "/leaves 499", "/v1/models 401"));
}

}  // namespace
}  // namespace http
