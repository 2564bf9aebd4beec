#include "gateway/api/accepted.hpp"

#include <gmock/gmock.h>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "gateway/api/endpoint.hpp"
#include "gateway/api/test_support.hpp"

namespace gateway::api {
namespace {

using namespace gateway::api::test;
using testing::HasSubstr;
using testing::IsEmpty;

/// Whether requests to it are JSON with a field `model`.
bool names_a_model(const Endpoint& endpoint, const boost::json::value& document) {
    if (!endpoint.body || endpoint.body->media_type != "application/json")
        return false;
    schema::Components components;
    const auto reference = endpoint.body->schema(components);
    const auto* name = reference.if_contains("$ref");
    if (name == nullptr)
        return false;
    const std::string pointer = std::string(name->as_string()).substr(1);
    return document.at_pointer(pointer + "/properties").as_object().contains("model");
}

/// The first example of its requests, for another model.
std::string example_for(const Endpoint& endpoint, const std::string& model) {
    boost::json::object body = endpoint.body->examples.front().second.as_object();
    body["model"] = model;
    return boost::json::serialize(body);
}

TEST(AcceptRequest, IsHowEveryEndpointThatNamesAModelRefusesOneThatIsNotThere) {
    const auto document = boost::json::parse(openapi_document());
    int tried = 0;
    for (const Endpoint& endpoint : endpoints()) {
        if (!names_a_model(endpoint, document))
            continue;
        ++tried;
        const auto unknown = ask({.path = endpoint.path, .body = example_for(endpoint, "nobody")});
        EXPECT_EQ(unknown.answer.status, 404) << endpoint.id;
        EXPECT_THAT(unknown.answer.body, HasSubstr("The model `nobody` does not exist.")) << endpoint.id;
        EXPECT_THAT(unknown.jobs, IsEmpty()) << endpoint.id;
    }
    EXPECT_GE(tried, 12);
}

TEST(AcceptRequest, PutsTheAdaptersIntoEachJobThatEvaluates) {
    std::vector<backends::Job> jobs(3);
    jobs[0].mutable_text();
    jobs[1].mutable_embedding();
    jobs[2].mutable_tokens();
    AdapterUses uses;
    uses.Add()->set_name("sql");
    for (backends::Job& job : jobs_of(jobs))
        set_adapters(job, uses);
    EXPECT_EQ(jobs[0].text().adapters_size(), 1);
    EXPECT_EQ(jobs[1].embedding().adapters_size(), 1);
    EXPECT_TRUE(jobs[2].has_tokens());
}

TEST(AcceptRequest, CountsNoTokensForAnAdapterThatIsNotThere) {
    const auto asked = ask(
        {.path = "/v1/chat/completions/input_tokens",
         .body = R"({"model": "talker", "messages": [{"role": "user", "content": "hi"}], "lora": [{"id": "verse"}]})",
         .script = {tokens({1, 2}, {"a", "b"}), finished()}});
    EXPECT_EQ(asked.answer.status, 400);
    EXPECT_THAT(asked.answer.body, HasSubstr("lora[0].id"));
}

}  // namespace
}  // namespace gateway::api
