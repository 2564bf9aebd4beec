#include "worker/engine/llama/schema/grammar_of.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "worker/engine/llama/schema/acceptor.hpp"

namespace worker::engine::llama::schema {
namespace {

std::string grammar(const std::string& schema, Unenforceable unenforceable = Unenforceable::refused) {
    const auto made = grammar_of(schema, "schema", unenforceable);
    EXPECT_TRUE(made) << schema << ": " << made.error().message;
    return made.value_or("root ::= \"none\"");
}

/// Path of what is wrong, "fine" when there is nothing.
std::string fault(const std::string& schema) {
    const auto made = grammar_of(schema, "schema", Unenforceable::refused);
    return made ? "fine" : made.error().param;
}

struct Case {
    const char* schema;
    std::vector<const char*> good;
    std::vector<const char*> bad;
};

void check(const std::vector<Case>& cases) {
    for (const auto& [schema, good, bad] : cases) {
        Acceptor acceptor(grammar(schema));
        for (const char* text : good) {
            EXPECT_TRUE(acceptor.accepts(text)) << schema << "\n" << text << "\n" << grammar(schema);
        }
        for (const char* text : bad) {
            EXPECT_FALSE(acceptor.accepts(text)) << schema << "\n" << text;
        }
    }
}

TEST(GrammarOf, Types) {
    check({
        {"{}", {"1", "null", R"({"a": [1, "b"]})", R"("x")", "-1.5e+3"}, {"", "nul", "01", "1.", R"({"a"})"}},
        {"true", {"1"}, {"?"}},
        {R"({"type":"string"})", {R"("")", R"("é\n\u00e9\"")", R"("\ud83d\ude00")"}, {"1", R"("\ud83d")", "\"\n\""}},
        {R"({"type":"integer"})", {"0", "-7"}, {"1.0", "1e3", "--1"}},
        {R"({"type":["integer","null"]})", {"3", "null"}, {"true"}},
        {R"({"type":"boolean"})", {"true", "false"}, {"null"}},
        {R"({"type":"string","nullable":true})", {"null", R"("a")"}, {"1"}},
        {R"({"enum":["a",1,null,{"b":[2]},"a\"b"]})", {R"("a")", "1", "null", R"({"b":[2]})", R"("a\"b")"}, {"2", "a"}},
        {R"({"enum":["red","green","greenish"],"type":"string","minLength":4})",
         {R"("green")", R"("greenish")"},
         {R"("red")", R"("gree")"}},
        {R"({"const":"only"})", {R"("only")"}, {R"("other")"}},
    });
}

TEST(GrammarOf, Objects) {
    check({
        {R"({"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"string"},"c":{}},"required":["b"]})",
         {R"({"b":"x"})", R"({"a":1,"b":"x"})", R"({"a": 1, "b": "x", "c": [null]})", "{\n  \"b\": \"\"\n}"},
         {"{}", R"({"a":1})", R"({"b":"x","a":1})", R"({"b":"x","d":1})", R"({"b":"x",})"}},
        {R"({"type":"object","properties":{},"additionalProperties":false})", {"{}", "{ }"}, {R"({"a":1})"}},
        {R"({"type":"object"})", {"{}", R"({"any":{"thing":1},"b":2})"}, {"[]"}},
        {R"({"properties":{"a":{"type":"null"}},"additionalProperties":{"type":"integer"}})",
         {R"({"a":null,"b":1})", R"({"ab":3})", R"({"":3})"},
         {R"({"a":1})", R"({"b":"x"})", R"({"\u0061":1})"}},
        {R"({"type":"object","properties":{"a":{}},"required":["a","z"]})", {R"({"a":1,"z":2})"}, {R"({"a":1})"}},
        {R"({"type":"object","properties":{"a":{},"b":{},"c":{}},"minProperties":1,"maxProperties":2})",
         {R"({"a":1})", R"({"b":1,"c":2})"},
         {"{}", R"({"a":1,"b":1,"c":1})"}},
        {R"({"type":"object","additionalProperties":{"type":"integer"},"minProperties":1,"maxProperties":2})",
         {R"({"x":1})", R"({"x":1,"y":2})"},
         {"{}", R"({"x":1,"y":2,"z":3})"}},
        {R"({"type":"object","patternProperties":{"^n_":{"type":"integer"},"_s$":{"type":"string"}},
            "additionalProperties":false})",
         {"{}", R"({"n_a":1,"a_s":"x"})"},
         {R"({"n_a":"x"})", R"({"b":1})", R"({"n_s":1})", R"({"n_s":"x"})"}},
        {R"({"type":"object","propertyNames":{"pattern":"^[a-z]+$","maxLength":3},"additionalProperties":{}})",
         {R"({"abc":1})"},
         {R"({"abcd":1})", R"({"A":1})"}},
        {R"({"type":"object","properties":{"with \"quotes\"\n":{"type":"null"}}})",
         {R"({"with \"quotes\"\n":null})"},
         {R"({"with":null})"}},
        {R"({"type":"object","properties":{"no":false,"a":{"type":"null"}}})",
         {"{}", R"({"a":null})"},
         {R"({"no":1})"}},
    });
}

TEST(GrammarOf, Arrays) {
    check({
        {R"({"type":"array","items":{"type":"integer"},"minItems":1,"maxItems":3})",
         {"[1]", "[1, 2, 3]", "[ 1,2 ]"},
         {"[]", "[1,2,3,4]", "[1,]", R"(["a"])"}},
        {R"({"type":"array"})", {"[]", R"([1,"a",[]])"}, {"{}"}},
        {R"({"type":"array","prefixItems":[{"type":"integer"},{"type":"string"}]})",
         {R"([1,"a"])"},
         {"[]", "[1]", R"(["a",1])", R"([1,"a",2])"}},
        {R"({"type":"array","prefixItems":[{"type":"integer"}],"items":{"type":"null"},"minItems":0,"maxItems":3})",
         {"[]", "[1]", "[1,null,null]"},
         {"[null]", "[1,2]", "[1,null,null,null]"}},
        {R"({"type":"array","items":[{"type":"integer"}],"additionalItems":false})", {"[1]"}, {"[1,2]"}},
        {R"({"type":"array","items":{"enum":["a","b","c"]},"uniqueItems":true,"minItems":1,"maxItems":2})",
         {R"(["b"])", R"(["c","a"])"},
         {"[]", R"(["a","a"])", R"(["a","b","c"])"}},
        {R"({"type":"array","items":{"enum":[1,2,3,4,5,6,7,8,9,10]},"uniqueItems":true})",
         {"[]", "[1,3,10]"},
         {"[1,1]", "[3,3]"}},
        {R"({"type":"array","items":{"type":"integer"},"minItems":0,"maxItems":0})", {"[]"}, {"[1]"}},
        {R"({"type":"array","items":[]})", {"[]", "[1]"}, {}},
    });
    std::string many = "[1";
    for (int count = 1; count < 3000; ++count) {
        many += ",1";
    }
    Acceptor acceptor(grammar(R"({"type":"array","items":{"const":1},"minItems":2999,"maxItems":3000})"));
    EXPECT_TRUE(acceptor.accepts(many + "]"));
    EXPECT_FALSE(acceptor.accepts(many + ",1]"));
    EXPECT_LT(grammar(R"({"type":"string","minLength":99999,"maxLength":100000})").size(), 10'000);
}

TEST(GrammarOf, Strings) {
    check({
        {R"({"type":"string","minLength":2,"maxLength":3})",
         {R"("ab")", R"("é\n😀")", R"("\ud83d\ude00\u00e9")"},
         {R"("a")", R"("abcd")"}},
        {R"({"type":"string","pattern":"^\\d{3}-[a-z]+$"})", {R"("123-x")"}, {R"("12-x")", R"("123-X")"}},
        {R"({"type":"string","pattern":"b"})", {R"("abc")", R"("b")"}, {R"("ac")"}},
        {R"({"type":"string","pattern":"^[a-z]*$","minLength":2,"maxLength":3})",
         {R"("ab")", R"("abc")"},
         {R"("a")", R"("abcd")", R"("AB")"}},
        {R"({"type":"string","pattern":"^.$"})", {R"("\"")", R"("\\")", R"("\t")", R"("é")"}, {R"(""")", R"("\")"}},
        {R"({"type":"string","format":"date","pattern":"^2024"})", {R"("2024-02-29")"}, {R"("2023-02-01")"}},
        {R"({"type":"string","format":"uuid"})", {R"("123e4567-e89b-12d3-a456-426614174000")"}, {R"("123")"}},
        {R"({"allOf":[{"type":"string","pattern":"a"},{"pattern":"b"}],"maxLength":2})",
         {R"("ab")", R"("ba")"},
         {R"("aa")", R"("abc")"}},
        {R"({"type":"string","pattern":"^(?=.*[A-Z])(?=.*\\d).{4,8}$"})", {R"("aB3c")"}, {R"("ab3c")", R"("aB3")"}},
        {R"({"minLength":1,"maxLength":100000})", {R"("a")"}, {R"("")", "1"}},
    });
}

TEST(GrammarOf, Numbers) {
    check({
        {R"({"type":"number","minimum":0.5,"exclusiveMaximum":2})", {"0.5", "1", "1.99"}, {"0.4", "2", "-1", "1e0"}},
        {R"({"type":"integer","multipleOf":5,"minimum":-10,"maximum":100})", {"-10", "0", "95"}, {"3", "105"}},
        {R"({"type":"number","multipleOf":0.25})", {"0.5", "-3.75", "2"}, {"0.3"}},
        {R"({"minimum":3})", {"3", "4.5"}, {"2", R"("a")"}},
        {R"({"type":"number","minimum":0,"exclusiveMinimum":true})", {"0.1"}, {"0"}},
        {R"({"type":"integer","format":"int32"})", {"2147483647"}, {"2147483648"}},
        {R"({"type":"integer","maximum":9007199254740991,"minimum":-9007199254740991})",
         {"9007199254740991"},
         {"9007199254740992"}},
        {R"({"type":"number","maximum":1.7976931348623157e308})", {"5.5"}, {R"("a")"}},
        {R"({"allOf":[{"type":"number","minimum":1},{"type":"integer"},{"maximum":3.5}]})",
         {"1", "3"},
         {"0", "3.5", "4"}},
    });
}

TEST(GrammarOf, CombinationsAndReferences) {
    check({
        {R"({"anyOf":[{"type":"string","maxLength":2},{"type":"null"}]})", {R"("ab")", "null"}, {R"("abc")", "1"}},
        {R"({"type":"object","properties":{"a":{"type":"integer"}},"required":["a"],
            "anyOf":[{"required":["b"],"properties":{"b":{"const":1}}},
            {"required":["c"],"properties":{"c":{"const":2}}}]})",
         {R"({"a":1,"b":1})", R"({"a":1,"c":2})"},
         {R"({"a":1})", R"({"b":1})"}},
        {R"({"allOf":[{"$ref":"#/$defs/base"},{"properties":{"b":{"type":"null"}},"required":["b"]}],
            "$defs":{"base":{"type":"object","properties":{"a":{"type":"integer"}},"required":["a"]}}})",
         {R"({"a":1,"b":null})"},
         {R"({"a":1})", R"({"b":null})"}},
        {R"({"$defs":{"n":{"type":"object","properties":{"v":{"type":"integer"},
            "next":{"anyOf":[{"$ref":"#/$defs/n"},{"type":"null"}]}},"required":["v","next"]}},"$ref":"#/$defs/n"})",
         {R"({"v":1,"next":{"v":2,"next":null}})"},
         {R"({"v":1})", R"({"v":1,"next":{}})"}},
        {R"({"type":"object","properties":{"children":{"type":"array","items":{"$ref":"#"}}}})",
         {R"({"children":[{"children":[]},{}]})"},
         {R"({"children":[1]})"}},
        {R"({"definitions":{"a/b":{"$anchor":"here","type":"null"}},"type":"array",
            "prefixItems":[{"$ref":"#/definitions/a~1b"},{"$ref":"#here"}]})",
         {"[null,null]"},
         {"[1,null]"}},
        {R"({"$id":"https://example.org/s","$ref":"https://example.org/s#/$defs/a","$defs":{"a":{"const":1}}})",
         {"1"},
         {"2"}},
        {R"({"oneOf":[{"type":"object","properties":{"kind":{"const":"a"},"x":{"type":"integer"}},"required":["kind"]},
            {"type":"object","properties":{"kind":{"const":"b"}},"required":["kind"]}],
            "discriminator":{"propertyName":"kind"}})",
         {R"({"kind":"a","x":1})", R"({"kind":"b"})"},
         {R"({"kind":"b","x":1})"}},
        {R"({"oneOf":[{"type":"string"},{"type":"integer","maximum":3},{"type":"number","minimum":4}]})",
         {"3", "4", R"("a")"},
         {"null"}},
        {R"({"oneOf":[{"type":"object","properties":{"a":{}},"required":["a"]},
            {"type":"object","properties":{"b":{}},"required":["b"]}]})",
         {R"({"a":1})", R"({"b":1})"},
         {R"({"a":1,"b":1})"}},
        {R"({"anyOf":[{"$ref":"#/$defs/endless"},{"type":"null"}],"$defs":{"endless":{"type":"object",
            "properties":{"a":{"$ref":"#/$defs/endless"}},"required":["a"]}}})",
         {"null"},
         {R"({"a")"}},
        {R"({"enum":[1,5,10],"not":{"const":5},"minimum":2})", {"10"}, {"1", "5"}},
    });
}

TEST(GrammarOf, WhatToolsSendInPractice) {
    for (const char* schema : {
             R"({"$schema":"http://json-schema.org/draft-07/schema#","title":"T","type":"object","properties":{}})",
             R"({"type":"object","properties":{"a":{"type":["string","null"],"default":null,"description":"x",
                 "examples":["a"],"x-order":1,"readOnly":true,"$comment":"c","deprecated":false}},
                 "required":["a"],"additionalProperties":false,"strict":true,"unevaluatedProperties":false})",
             R"({"type":"object","properties":{"type":{"type":"string"},"properties":{"type":"object"},
                 "$ref":{"type":"string"},"enum":{"type":"array","items":{"type":"string"}}}})",
             R"({"type":"string","maxLength":2147483647,"minLength":0})",
         }) {
        EXPECT_EQ(fault(schema), "fine") << schema;
    }
}

TEST(GrammarOf, WhatCannotBeHeldIsNamedWithItsPath) {
    const std::pair<const char*, const char*> cases[] = {
        {R"({"type":"array","items":{"type":"string"},"uniqueItems":true})", "schema.uniqueItems"},
        {R"({"type":"array","contains":{"type":"string"}})", "schema.contains"},
        {R"({"type":"object","additionalProperties":{},"minProperties":2})", "schema.minProperties"},
        {R"({"type":"object","properties":{"a":{}},"if":{},"then":{}})", "schema.if"},
        {R"({"not":{"type":"string"}})", "schema.not"},
        {R"({"type":"object","properties":{"a":{"type":"string","format":"color"}}})", "schema.properties.a.format"},
        {R"({"type":"string","pattern":"(a)\\1"})", "schema.pattern"},
        {R"({"type":"string","pattern":"^(a|b)*a(a|b){30}$"})", "schema.pattern"},
        {R"({"type":"string","pattern":"("})", "schema.pattern"},
        {R"({"anyOf":[{"type":"string"},{"type":"array","items":{"type":"number"},"uniqueItems":true}]})",
         "schema.anyOf[1].uniqueItems"},
        {R"({"type":"array","items":{"$ref":"#/$defs/a"},"$defs":{"a":{"type":"number","multipleOf":99999.9}}})",
         "schema.$defs.a.multipleOf"},
        {R"({"oneOf":[{"type":"string"},{"type":"string","minLength":3}]})", "schema.oneOf"},
        {R"({"type":"string","minLength":100000000})", "schema.minLength"},
        {R"({"type":"array","minItems":100000000})", "schema.minItems"},
        {R"({"type":"number","minimum":1e-300})", "schema.minimum"},
        {R"({"type":"integer","minimum":9,"maximum":3})", "schema.maximum"},
        {R"({"type":"string","minLength":9,"maxLength":3})", "schema.maxLength"},
        {R"({"type":"array","minItems":9,"maxItems":3})", "schema.maxItems"},
        {R"({"type":"string","pattern":"^a$","minLength":2})", "schema.pattern"},
        {R"({"enum":[1,2],"type":"string"})", "schema.enum"},
        {R"({"allOf":[{"type":"string"},{"type":"null"}]})", "schema.allOf[0].type"},
        {R"({"$ref":"#"})", "schema"},
        {R"({"anyOf":[{"$ref":"#"},{"type":"null"}]})", "schema"},
        {R"({"type":"object","properties":{"a":{"$ref":"#/nowhere"}}})", "schema.properties.a.$ref"},
        {R"({"type":"object","properties":{"a":{"$ref":"http://example.org/x"}}})", "schema.properties.a.$ref"},
        {R"({"type":"strnig"})", "schema.type"},
        {R"({"type":"object","properties":{"a":3}})", "schema.properties"},
        {R"({"type":"object","required":true})", "schema.required"},
        {R"({"anyOf":[]})", "schema.anyOf"},
        {R"({"enum":"a"})", "schema.enum"},
        {R"({"type":"number","multipleOf":0})", "schema.multipleOf"},
        {"false", "schema"},
        {"3", "schema"},
        {"{", "schema"},
        {R"({"$ref":"#/$defs/n","$defs":{"n":{"type":"object","properties":{"n":{"$ref":"#/$defs/n"}},
            "required":["n"]}}})",
         "schema"},
    };
    for (const auto& [schema, path] : cases) {
        EXPECT_EQ(fault(schema), path) << schema;
    }
}

TEST(GrammarOf, WhereNotAllMustHoldTheRestIsKept) {
    const auto made = grammar(
        R"({"type":"object","properties":{"a":{"type":"string","pattern":"(a)\\1","maxLength":3},
            "b":{"type":"array","items":{"type":"integer"},"uniqueItems":true}},"required":["a","b"],"not":{}})",
        Unenforceable::left_out);
    Acceptor acceptor(made);
    EXPECT_TRUE(acceptor.accepts(R"({"a":"xyz","b":[1,1]})"));
    EXPECT_FALSE(acceptor.accepts(R"({"a":"wxyz","b":[1,1]})"));
    EXPECT_FALSE(acceptor.accepts(R"({"a":"x","b":["c"]})"));
}

TEST(GrammarOf, APatternIsMatchedByTheWholeText) {
    const auto made = grammar_of_pattern(R"(\d{1,3}(\.\d)?|none)", "regex");
    ASSERT_TRUE(made);
    Acceptor acceptor(*made);
    for (const char* good : {"1", "12.5", "none"}) {
        EXPECT_TRUE(acceptor.accepts(good)) << good;
    }
    for (const char* bad : {"", "1.", "none 1", "x1", "\"1\""}) {
        EXPECT_FALSE(acceptor.accepts(bad)) << bad;
    }
    for (const char* pattern : {"(", "a)(b", "(a)\\1", "a^b", "^(a|b)*a(a|b){30}$"}) {
        const auto refused = grammar_of_pattern(pattern, "regex");
        ASSERT_FALSE(refused) << pattern;
        EXPECT_EQ(refused.error().param, "regex");
    }
}

TEST(GrammarOf, LargeSchemasEnd) {
    const auto repeated = [](const std::string& text, int count) {
        std::string all;
        for (int index = 0; index < count; ++index) {
            all += (index == 0 ? "" : ",") + text;
        }
        return all;
    };
    std::string doubling = R"({"$defs":{)";
    for (int index = 0; index < 40; ++index) {
        doubling += fmt::format(R"("a{0}":{{"anyOf":[{{"$ref":"#/$defs/a{1}"}},{{"$ref":"#/$defs/a{1}"}}]}},)", index,
                                index + 1);
    }
    const std::string schemas[] = {
        doubling + R"("a40":{"type":"null"}},"$ref":"#/$defs/a0"})",
        doubling + R"("a40":{"type":"null"}},"$ref":"#/$defs/a0","enum":[null,1]})",
        R"({"allOf":[)" + repeated(R"({"anyOf":[{"minimum":1},{"maximum":5},{"multipleOf":3},{"multipleOf":7}]})", 30) +
            "]}",
        R"({"allOf":[)" + repeated(R"({"type":"string","pattern":"(a|b)*a(a|b){9}"})", 200) + "]}",
        R"({"type":"array","prefixItems":[)" +
            repeated(R"({"type":"number","minimum":0.12345,"maximum":99999.5,"multipleOf":0.007})", 2000) + "]}",
        R"({"enum":[)" + repeated(R"("abcdefghijklmnopqrstuvwxyz")", 5000) + "]}",
        R"({"type":"array","items":{"type":"array","items":{"type":"array","items":{"type":"string","minLength":999999},
            "minItems":999999},"minItems":999999},"minItems":999999})",
        R"({"type":"object","patternProperties":{"^a.*b":{},"c.*d$":{},"e{3,50}f":{},"g":{},"h":{}}})",
    };
    for (const auto& schema : schemas) {
        const auto made = grammar_of(schema, "schema", Unenforceable::refused);
        if (made) {
            EXPECT_LT(made->size(), 4'000'000) << schema.substr(0, 80);
        }
    }
}

}  // namespace
}  // namespace worker::engine::llama::schema
