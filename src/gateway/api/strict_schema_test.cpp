#include "gateway/api/strict_schema.hpp"

#include <gmock/gmock.h>
#include <boost/json/parse.hpp>

#include "gateway/api/test_support.hpp"

namespace gateway::api {
namespace {

using namespace gateway::api::test;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

schema::Faults faults_of(const char* schema) {
    schema::Findings findings;
    const schema::Reading root(findings);
    check_strict_schema(boost::json::parse(schema).as_object(), root.at("schema"));
    return findings.faults;
}

TEST(StrictSchema, IsWhatOpenAiTakes) {
    for (const char* good : {
             R"({"type": "object", "properties": {}, "additionalProperties": false})",
             R"({"type": "object", "additionalProperties": false, "required": []})",
             R"({"type": "object", "properties": {"a": {"type": ["string", "null"]}, "b": {"$ref": "#/$defs/B"}},
                 "required": ["b", "a"], "additionalProperties": false,
                 "$defs": {"B": {"type": "array", "items": {"anyOf": [{"$ref": "#/$defs/B"}, {"type": "null"}]}}}})",
             R"({"type": "object", "properties": {"not": {"type": "string", "minLength": 3}, "if": {"enum": [1]}},
                 "required": ["not", "if"], "additionalProperties": false})",
         })
        EXPECT_THAT(faults_of(good), IsEmpty()) << good;
}

TEST(StrictSchema, IsRefusedWithItsPathOtherwise) {
    const struct {
        const char* schema;
        const char* path;
        const char* message;
    } cases[] = {
        {"{}", "schema", "object"},
        {R"({"type": "array", "items": {"type": "string"}})", "schema", "object"},
        {R"({"type": ["object", "null"], "additionalProperties": false})", "schema", "object"},
        {R"({"type": "object"})", "schema", "'additionalProperties' is required to be supplied and to be false"},
        {R"({"type": "object", "additionalProperties": {}})", "schema", "'additionalProperties'"},
        {R"({"type": "object", "additionalProperties": true})", "schema", "'additionalProperties'"},
        {R"({"type": "object", "properties": {"a": {}, "b": {}}, "required": ["a"], "additionalProperties": false})",
         "schema", "including every key in properties. Missing 'b'"},
        {R"({"type": "object", "properties": {"a": {}}, "required": "a", "additionalProperties": false})", "schema",
         "Missing 'a'"},
        {R"({"type": "object", "properties": {"a": {"type": "object"}}, "required": ["a"],
             "additionalProperties": false})",
         "schema.properties.a", "'additionalProperties'"},
        {R"({"type": "object", "properties": {"a": {"items": {"properties": {}}}}, "required": ["a"],
             "additionalProperties": false})",
         "schema.properties.a.items", "'additionalProperties'"},
        {R"({"type": "object", "properties": {"a": {"anyOf": [{}, {"oneOf": []}]}}, "required": ["a"],
             "additionalProperties": false})",
         "schema.properties.a.anyOf[1].oneOf", "is not permitted"},
        {R"({"type": "object", "additionalProperties": false, "$defs": {"A": {"allOf": []}}})",
         R"(schema["$defs"].A.allOf)", "is not permitted"},
    };
    for (const auto& [schema, path, message] : cases) {
        const auto faults = faults_of(schema);
        ASSERT_THAT(faults, SizeIs(1)) << schema;
        EXPECT_EQ(faults[0].path, path) << schema;
        EXPECT_THAT(schema::to_string(faults[0]), HasSubstr(message)) << schema;
    }
}

TEST(StrictSchema, IsLookedAtWhereverStrictIsTrue) {
    const std::string loose = R"({"type": "object", "properties": {"a": {"type": "string"}}})";
    const std::string messages = R"("model": "talker", "messages": [{"role": "user", "content": "hi"}])";
    const struct {
        const char* path;
        std::string body;
        const char* param;
    } cases[] = {
        {"/v1/chat/completions",
         "{" + messages + R"(, "response_format": {"type": "json_schema", "json_schema": {"name": "n", "schema": )" +
             loose + R"(, "strict": STRICT}}})",
         "response_format.json_schema.schema"},
        {"/v1/chat/completions",
         "{" + messages + R"(, "tools": [{"type": "function", "function": {"name": "f", "parameters": )" + loose +
             R"(, "strict": STRICT}}]})",
         "tools[0].function.parameters"},
        {"/v1/responses",
         R"({"model": "talker", "input": "hi", "store": false, "text": {"format": {"type": "json_schema", "name": "n", "schema": )" +
             loose + R"(, "strict": STRICT}}})",
         "text.format.schema"},
        {"/v1/responses",
         R"({"model": "talker", "input": "hi", "store": false, "tools": [{"type": "function", "name": "f", "parameters": )" +
             loose + R"(, "strict": STRICT}]})",
         "tools[0].parameters"},
    };
    for (const auto& each : cases) {
        const auto asked_with = [&](const std::string& strict) {
            std::string body = each.body;
            body.replace(body.find("STRICT"), 6, strict);
            return ask({.path = each.path,
                        .body = body,
                        .script = {text("hi"), choice_finished(llm_gateway::engine::v1::STOP), finished()}});
        };
        const auto refused = asked_with("true");
        EXPECT_EQ(refused.answer.status, 400) << each.body;
        EXPECT_THAT(refused.answer.body, HasSubstr(std::string(R"("param":")") + each.param + '"')) << each.body;
        EXPECT_EQ(asked_with("false").answer.status, 200) << each.body;
    }
}

}  // namespace
}  // namespace gateway::api
