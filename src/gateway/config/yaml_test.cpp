#include "gateway/config/yaml.hpp"

#include "schema/json.hpp"

#include <gtest/gtest.h>
#include <boost/json/object.hpp>

namespace gateway::config {
namespace {

std::string json_of(std::string_view yaml) {
    const auto document = read_yaml(yaml);
    return document ? schema::write_json(document->value) : schema::to_error(document.error()).message;
}

TEST(Yaml, BecomesTheSameValuesAsJson) {
    EXPECT_EQ(json_of("a: 1\nb: [x, 2.5, true, null, ~]\nc:\n  d: -3\n  e:\n"),
              R"({"a":1,"b":["x",2.5,true,null,null],"c":{"d":-3,"e":null}})");
    EXPECT_EQ(json_of(R"({"a": {"b": ["c"]}})"), R"({"a":{"b":["c"]}})");
}

TEST(Yaml, QuotedScalarsAreText) {
    EXPECT_EQ(json_of("a: '1'\nb: \"true\"\nc: ''\nd: !!str 7"), R"({"a":"1","b":"true","c":"","d":"7"})");
}

TEST(Yaml, OnlyYaml12WordsAreBooleans) {
    EXPECT_EQ(json_of("[on, off, yes, no, True, inf, nan, 0x10, 30s, 1.2.3, 127.0.0.1]"),
              R"(["on","off","yes","no",true,"inf","nan","0x10","30s","1.2.3","127.0.0.1"])");
}

TEST(Yaml, AnEmptyDocumentIsAnEmptyObject) {
    EXPECT_EQ(json_of(""), "{}");
    EXPECT_EQ(json_of("# nothing\n---\n"), "{}");
}

TEST(Yaml, RemembersTheLineOfEverything) {
    const auto document = read_yaml("server:\n  port: 1\n\nmodels:\n  - name: a\n    path: b\n  - name: c\n");
    ASSERT_TRUE(document);
    EXPECT_EQ(document->lines.at("server"), 1);
    EXPECT_EQ(document->lines.at("server.port"), 2);
    EXPECT_EQ(document->lines.at("models[0].path"), 6);
    EXPECT_EQ(document->lines.at("models[1]"), 7);
}

TEST(Yaml, AliasesAreFollowed) {
    EXPECT_EQ(json_of("a: &x {k: 1}\nb: *x"), R"({"a":{"k":1},"b":{"k":1}})");
}

TEST(Yaml, WhatIsNoYamlIsAFaultWithItsLine) {
    const auto document = read_yaml("a: 1\nb: [1, 2\nc: 3\n");
    ASSERT_FALSE(document);
    EXPECT_EQ(document.error()[0].kind, schema::FaultKind::syntax);
    EXPECT_GE(document.error()[0].line, 2);
    for (const auto text : {"a: b: c", "\t- x", "a: \"open", "*nowhere", "- a\nb: c", "a: 1\n---\nb: 2", "[a]: 1"})
        EXPECT_FALSE(read_yaml(text)) << text;
}

TEST(Yaml, AKeyTwiceIsAFault) {
    const auto document = read_yaml("server:\n  port: 1\n  port: 2\n");
    ASSERT_FALSE(document);
    EXPECT_EQ(document.error()[0].path, "server.port");
    EXPECT_EQ(document.error()[0].line, 3);
}

TEST(Yaml, AFileThatGrowsWithoutEndIsRefused) {
    std::string laughs = "a: &a [x, x, x, x, x, x, x, x, x, x]\n";
    for (char name = 'b'; name < 'k'; ++name) {
        const std::string before(1, static_cast<char>(name - 1));
        laughs += std::string(1, name) + ": &" + name + " [";
        for (int i = 0; i < 10; ++i)
            laughs += (i ? ", *" : "*") + before;
        laughs += "]\n";
    }
    EXPECT_FALSE(read_yaml(laughs));
    EXPECT_FALSE(read_yaml("&a [*a]"));
    EXPECT_FALSE(read_yaml(std::string(10'000, '[')));
}

}  // namespace
}  // namespace gateway::config
