#include "gateway/api/endpoints.hpp"

#include <boost/json/parse.hpp>
#include <fstream>
#include <set>

#include <gmock/gmock.h>

#include "gateway/api/answer_examples.hpp"
#include "gateway/api/docs/files.hpp"
#include "gateway/api/endpoint.hpp"
#include "gateway/api/health/types.hpp"
#include "gateway/api/models/types.hpp"
#include "gateway/api/test_support.hpp"

namespace gateway::api {
namespace {

using namespace test;
using testing::HasSubstr;
using testing::IsEmpty;

Asked get(std::string path, http::Headers headers = {}, FixedCatalogue catalogue = {}) {
    return ask({.method = http::Method::get,
                .path = std::move(path),
                .headers = std::move(headers),
                .catalogue = std::move(catalogue)});
}

TEST(OpenApi, IsTheOneInReview) {
    std::ifstream in(std::string(GOLDEN_FOLDER) + "/openapi.json");
    const std::string golden{std::istreambuf_iterator<char>(in), {}};
    boost::system::error_code error;
    const auto expected = boost::json::parse(golden, error);
    const std::string actual = testing::TempDir() + "/openapi.json";
    if (error || expected != parsed(openapi_document()))
        std::ofstream(actual) << openapi_document();
    EXPECT_TRUE(!error && expected == parsed(openapi_document()))
        << "The document changed: it is in " << actual << "; tests/golden/test_golden.py says how to accept it.";
}

TEST(OpenApi, HasEveryEndpointWithItsErrors) {
    const auto document = parsed(openapi_document());
    EXPECT_EQ(document.at("openapi"), "3.2.0");
    for (const Endpoint& endpoint : endpoints()) {
        std::string path = endpoint.path;
        if (const auto dots = path.find("..."); dots != std::string::npos)
            path.erase(dots, 3);
        const char* method = endpoint.method == http::Method::post      ? "post"
                             : endpoint.method == http::Method::delete_ ? "delete"
                                                                        : "get";
        const auto& operation = document.at("paths").at(path).at(method);
        EXPECT_EQ(std::string(operation.at("operationId").as_string()), endpoint.id);
        for (const int status : endpoint.errors)
            EXPECT_TRUE(operation.at("responses").as_object().contains(std::to_string(status))) << path << status;
    }
}

TEST(OpenApi, RefersOnlyToWhatIsThere) {
    const std::string text = openapi_document();
    const auto document = parsed(text);
    const std::string prefix = "\"#/components/schemas/";
    for (auto at = text.find(prefix); at != std::string::npos; at = text.find(prefix, at + 1)) {
        const auto name = text.substr(at + prefix.size(), text.find('"', at + 1) - at - prefix.size());
        EXPECT_TRUE(document.at("components").at("schemas").as_object().contains(name)) << name;
    }
}

TEST(OpenApi, ShowsAnExampleOfEveryRequestAndEachIsValid) {
    for (const Endpoint& endpoint : endpoints())
        if (endpoint.body) {
            EXPECT_FALSE(endpoint.body->examples.empty()) << endpoint.id;
            for (const auto& [name, value] : endpoint.body->examples)
                EXPECT_THAT(endpoint.body->validate(value), IsEmpty()) << endpoint.id << ": " << name;
        }
}

TEST(OpenApi, ShowsAnExampleOfEveryAnswerAndEachIsValid) {
    for (const Endpoint& endpoint : endpoints())
        for (const Answer& answer : endpoint.answers)
            for (const Content& content : answer.contents)
                if (content.validate) {
                    const Examples examples = answer_examples(endpoint.id);
                    EXPECT_FALSE(examples.empty()) << endpoint.id;
                    for (const auto& [name, value] : examples)
                        EXPECT_THAT(content.validate(value), IsEmpty()) << endpoint.id << ": " << name;
                }
}

TEST(OpenApi, DescribesTheEventsOfEveryStream) {
    const auto document = parsed(openapi_document());
    int streams = 0;
    for (const Endpoint& endpoint : endpoints())
        for (const Answer& answer : endpoint.answers)
            for (const Content& content : answer.contents)
                if (content.media_type == "text/event-stream") {
                    ++streams;
                    EXPECT_FALSE(content.examples.empty()) << endpoint.id;
                    schema::Components components;
                    const auto reference = content.schema(components);
                    const auto name =
                        std::string(reference.at("$ref").as_string()).substr(sizeof("#/components/schemas/") - 1);
                    EXPECT_GE(document.at("components").at("schemas").at(name).at("anyOf").as_array().size(), 3u);
                }
    EXPECT_GE(streams, 6);
}

TEST(Models, AreListedWithWhatTheyCanDo) {
    const auto asked = get("/v1/models");
    const auto body = parsed(asked.answer.body);
    EXPECT_THAT(schema::validate<models::ModelList>(body), IsEmpty());
    EXPECT_EQ(body.at_pointer("/data/0/id"), "talker");
    EXPECT_EQ(body.at_pointer("/data/0/created"), 1700000000);
    EXPECT_EQ(body.at_pointer("/data/0/context_length"), 2048);
    EXPECT_EQ(body.at_pointer("/data/1/image/max_size"), "1024x2048");
    EXPECT_EQ(body.at_pointer("/data/1/image/default_cfg_scale"), 7.1);
}

TEST(Models, OneIsShownAlsoWithSlashesInItsName) {
    FixedCatalogue catalogue;
    catalogue.list.push_back(text_model("org/model:q4"));
    const auto asked = get("/v1/models/org/model:q4", {}, catalogue);
    EXPECT_EQ(asked.answer.status, 200);
    EXPECT_THAT(schema::validate<models::Model>(parsed(asked.answer.body)), IsEmpty());
    const auto unknown = get("/v1/models/gpt-9");
    EXPECT_EQ(unknown.answer.status, 404);
    EXPECT_EQ(parsed(unknown.answer.body).at_pointer("/error/code"), "model_not_found");
}

TEST(Health, IsReadyWhenEveryModelIs) {
    EXPECT_EQ(get("/health/live").answer.status, 200);
    const auto ready = get("/health/ready");
    EXPECT_EQ(ready.answer.status, 200);
    FixedCatalogue catalogue;
    catalogue.list[1].state = backends::ModelState::failed;
    catalogue.list[1].problem = "no such file";
    const auto broken = get("/health/ready", {}, catalogue);
    EXPECT_EQ(broken.answer.status, 503);
    for (const auto* asked : {&ready, &broken})
        EXPECT_THAT(schema::validate<health::Ready>(parsed(asked->answer.body)), IsEmpty());
    EXPECT_EQ(parsed(broken.answer.body).at_pointer("/models/1/state"), "failed");
    // The page is open to everybody; the reason may name files and is for those who have a key.
    EXPECT_THAT(broken.answer.body, testing::Not(HasSubstr("no such file")));
    EXPECT_THAT(get("/v1/models", {}, catalogue).answer.body, HasSubstr("no such file"));
}

TEST(Paths, MayLeaveOutTheVersion) {
    EXPECT_EQ(get("/models").answer.body, get("/v1/models").answer.body);
    EXPECT_EQ(get("/models/talker").answer.body, get("/v1/models/talker").answer.body);
    EXPECT_EQ(get("/chat/completions/none").answer.status, get("/v1/chat/completions/none").answer.status);
    EXPECT_EQ(get("/health").answer.body, get("/health/ready").answer.body);
    EXPECT_EQ(get("/v2/models").answer.status, 404);
}

TEST(Operations, ShowVersionAndMetrics) {
    EXPECT_THAT(schema::validate<health::Version>(parsed(get("/version").answer.body)), IsEmpty());
    EXPECT_EQ(get("/metrics").answer.body, "up 1\n");
}

TEST(Docs, AreWholeAndOurs) {
    const auto page = get("/docs");
    EXPECT_EQ(page.answer.status, 200);
    EXPECT_EQ(page.answer.headers.find("Content-Type"), "text/html; charset=utf-8");
    EXPECT_THAT(page.answer.body, testing::Not(HasSubstr("://")));
    const std::string source = "=\"docs/";
    int loaded = 0;
    for (auto at = page.answer.body.find(source); at != std::string::npos; at = page.answer.body.find(source, at + 1)) {
        const auto name = page.answer.body.substr(at + 2, page.answer.body.find('"', at + 2) - at - 2);
        EXPECT_EQ(get("/" + name).answer.status, 200) << name;
        ++loaded;
    }
    EXPECT_EQ(loaded, 4);
    EXPECT_EQ(get("/docs/../secret").answer.status, 404);
    EXPECT_EQ(get("/docs/nothing.js").answer.status, 404);
    EXPECT_EQ(get("/").answer.headers.find("Location"), "docs");
}

TEST(Docs, TravelCompressedAndOnce) {
    const auto compressed = get("/docs/swagger-ui.css", {{"Accept-Encoding", "gzip, br"}});
    EXPECT_EQ(compressed.answer.headers.find("Content-Encoding"), "gzip");
    const auto plain = get("/docs/swagger-ui.css");
    EXPECT_FALSE(plain.answer.headers.find("Content-Encoding"));
    EXPECT_EQ(docs::decompress(compressed.answer.body), plain.answer.body);
    const std::string tag(compressed.answer.headers.find("ETag").value());
    const auto again = get("/docs/swagger-ui.css", {{"If-None-Match", tag}});
    EXPECT_EQ(again.answer.status, 304);
    EXPECT_EQ(again.answer.body, "");
}

}  // namespace
}  // namespace gateway::api
