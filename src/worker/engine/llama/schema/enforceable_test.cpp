#include "worker/engine/llama/schema/enforceable.hpp"

#include <gtest/gtest.h>
#include <json-schema-to-grammar.h>

namespace worker::engine::llama::schema {
namespace {

/// Path of what cannot be kept, "fine" when there is nothing.
std::string fault(const std::string& text) {
    const auto checked = check_enforceable(prepared(common_json::parse(text), Numbers::enforced), "schema");
    return checked ? "fine" : checked.error().param;
}

TEST(Enforceable, WhatToolsSendInPractice) {
    for (const char* text : {
             R"({})",
             R"({"$schema":"http://json-schema.org/draft-07/schema#","title":"T","type":"object","properties":{}})",
             R"({"type":"object","properties":{"a":{"type":["string","null"],"default":null,"description":"x"}},
                 "required":["a"],"additionalProperties":false})",
             R"({"type":"object","additionalProperties":{"type":"integer","minimum":0,"exclusiveMaximum":9}})",
             R"({"anyOf":[{"type":"string","minLength":1,"maxLength":5},{"type":"null"}],"title":"A"})",
             R"({"type":"array","items":{"$ref":"#/$defs/a"},"minItems":1,"maxItems":3,"uniqueItems":false,
                 "$defs":{"a":{"type":"object","properties":{"next":{"anyOf":[{"$ref":"#/$defs/a"},{"type":"null"}]}},
                 "required":["next"]}}})",
             R"({"enum":["a",1,null]})",
             R"({"type":"string","enum":["a","b"]})",
             R"({"const":"a","type":"string"})",
             R"({"allOf":[{"$ref":"#/definitions/a"}],"definitions":{"a":{"type":"object","properties":{"b":{}}}}})",
             R"({"type":"string","pattern":"^\\d{3}-[a-z]+$"})",
             R"({"type":"string","pattern":"part of it"})",
             R"({"type":"string","format":"email"})",
             R"({"type":"string","format":"date-time"})",
             R"({"type":"array","prefixItems":[{"type":"integer"},{"type":"string"}],"minItems":2,"maxItems":2})",
             R"({"type":"boolean"})",
             R"({"type":"number"})",
             R"({"type":"number","minimum":0,"exclusiveMaximum":1})",
         }) {
        EXPECT_EQ(fault(text), "fine") << text;
        EXPECT_FALSE(json_schema_to_grammar(prepared(common_json::parse(text), Numbers::enforced)).empty()) << text;
    }
}

TEST(Enforceable, WhatWouldBeLeftOutIsNamedWithItsPath) {
    const std::pair<const char*, const char*> cases[] = {
        {R"({"type":"object","properties":{"age":{"type":"integer","multipleOf":5}}})",
         "schema.properties.age.multipleOf"},
        {R"({"type":"number","minimum":0.5})", "schema.minimum"},
        {R"({"type":"array","items":{"type":"string"},"uniqueItems":true})", "schema.uniqueItems"},
        {R"({"type":"array","contains":{"type":"string"}})", "schema.contains"},
        {R"({"type":"object","properties":{},"minProperties":1})", "schema.minProperties"},
        {R"({"type":"object","patternProperties":{"^a":{}}})", "schema.patternProperties"},
        {R"({"type":"object","properties":{"a":{}},"required":["a","b"]})", "schema.required[1]"},
        {R"({"type":"object","properties":{"a":{}},"if":{},"then":{}})", "schema.if"},
        {R"({"not":{"type":"string"}})", "schema.not"},
        {R"({"type":"string","format":"color"})", "schema.format"},
        {R"({"type":"string","pattern":"^(?=a)b$"})", "schema.pattern"},
        {R"({"type":"string","pattern":"^a$","maxLength":3})", "schema.maxLength"},
        {R"({"anyOf":[{"type":"string"},{"type":"array","uniqueItems":true}]})", "schema.anyOf[1].uniqueItems"},
        {R"({"anyOf":[{"type":"object"}],"properties":{"a":{}}})", "schema.properties"},
        {R"({"$ref":"#/$defs/a","minLength":3,"$defs":{"a":{"type":"string"}}})", "schema.minLength"},
        {R"({"type":"array","items":{"$ref":"#/$defs/a"},"$defs":{"a":{"type":"number","maximum":3.5}}})",
         "schema.$defs.a.maximum"},
        {R"({"type":["integer","string"],"multipleOf":2})", "schema.multipleOf"},
        {R"({"minimum":3})", "schema.minimum"},
        {R"({"allOf":[{"type":"string"},{"minLength":2}]})", "schema.allOf[0]"},
        {R"({"type":"array","prefixItems":[{},{}],"minItems":3})", "schema.minItems"},
        {R"({"type":"array","prefixItems":[{}],"items":{"type":"string"}})", "schema.prefixItems"},
    };
    for (const auto& [text, path] : cases) {
        EXPECT_EQ(fault(text), path) << text;
    }
}

TEST(Enforceable, FormatsAndPatternsArePreparedWhereTheyStand) {
    const auto schema = prepared(
        common_json::parse(
            R"({"type":"object","properties":{"pattern":{"type":"string","pattern":"\\d"},"format":{"type":"string"}},
            "examples":[{"format":"email"}]})"),
        Numbers::as_they_are);
    const auto& properties = schema.at("properties");
    EXPECT_NE(properties.at("pattern").at("pattern").get<std::string>().find("[0-9]"), std::string::npos);
    EXPECT_FALSE(properties.at("format").contains("pattern"));
    EXPECT_FALSE(schema.at("examples").at(0).contains("pattern"));
}

TEST(Enforceable, ThePlaceInAMessageOfTheConverter) {
    EXPECT_EQ(path_in_message("JSON schema error at #/properties/a/anyOf/1: type must be a string"),
              ".properties.a.anyOf[1]");
    EXPECT_EQ(path_in_message("JSON schema error at #: cannot resolve $ref #/a, a not found"), "");
    EXPECT_EQ(path_in_message("something else"), "");
}

}  // namespace
}  // namespace worker::engine::llama::schema
