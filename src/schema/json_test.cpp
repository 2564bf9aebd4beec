#include "schema/json.hpp"

#include <gtest/gtest.h>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

namespace schema {
namespace {

struct BadText {
    std::string text;
    FaultKind kind;
    std::string path;
    std::string message;
};

void PrintTo(const BadText& bad, std::ostream* out) {
    *out << bad.message;
}

class ReadJsonRefuses : public testing::TestWithParam<BadText> {};

TEST_P(ReadJsonRefuses, WithKindPathAndPosition) {
    const auto value = read_json(GetParam().text);
    ASSERT_FALSE(value);
    const Fault& fault = value.error().front();
    EXPECT_EQ(fault.kind, GetParam().kind);
    EXPECT_EQ(fault.path, GetParam().path);
    EXPECT_EQ(fault.message, GetParam().message);
}

INSTANTIATE_TEST_SUITE_P(
    Texts, ReadJsonRefuses,
    testing::Values(BadText{"", FaultKind::syntax, "", "is empty where JSON is expected"},
                    BadText{" \n", FaultKind::syntax, "", "is empty where JSON is expected"},
                    BadText{"{\"a\": 1", FaultKind::syntax, "", "is not complete JSON: it ends too early"},
                    BadText{"\"abc", FaultKind::syntax, "", "is not complete JSON: it ends too early"},
                    BadText{"{} x", FaultKind::syntax, "", "has something after the JSON value at line 1, column 4"},
                    BadText{"{\n  \"a\": nope}", FaultKind::syntax, "", "is not valid JSON at line 2, column 8"},
                    BadText{"[NaN]", FaultKind::syntax, "", "is not valid JSON at line 1, column 2"},
                    BadText{"[01]", FaultKind::syntax, "", "is not valid JSON at line 1, column 3"},
                    BadText{"[1,]", FaultKind::syntax, "", "is not valid JSON at line 1, column 4"},
                    BadText{"\"\xff\"", FaultKind::syntax, "", "is not valid UTF-8 or JSON at line 1, column 2"},
                    BadText{std::string(65, '[') + std::string(65, ']'), FaultKind::too_deep, "",
                            "is nested deeper than 64 levels at line 1, column 65"},
                    BadText{R"({"a": 1, "b": {}, "a": 2})", FaultKind::duplicate_key, "a", "is there twice"},
                    BadText{R"({"m": [0, {"b": 1, "x": {"t": 1, "c": 2, "t": 3}}]})", FaultKind::duplicate_key,
                            "m[1].x.t", "is there twice"},
                    BadText{R"({"m n": [[], [{"q\"": 1, "q\"": 2}]]})", FaultKind::duplicate_key,
                            R"(["m n"][1][0]["q\""])", "is there twice"}));

TEST(ReadJson, ListsEveryDuplicateKey) {
    const auto value = read_json(R"({"a": 1, "a": 2, "a": 3, "b": [{"c": 1, "c": 2}], "b": 0})");
    ASSERT_FALSE(value);
    ASSERT_EQ(value.error().size(), 3u);
    EXPECT_EQ(value.error()[0].path, "b[0].c");
    EXPECT_EQ(value.error()[1].path, "a");
    EXPECT_EQ(value.error()[2].path, "b");
}

TEST(ReadJson, TheSameKeyInDifferentObjectsIsNoDuplicate) {
    EXPECT_TRUE(read_json(R"([{"a": {"a": 1}}, {"a": 2}])"));
}

TEST(ReadJson, KeepsNumbersExactly) {
    for (const std::string text :
         {"0.1", "1.7976931348623157e+308", "5e-324", "0.30000000000000004", "-2.2250738585072014e-308",
          "123456789.123", "9007199254740993", "18446744073709551615", "-9223372036854775808", "8.41", "1e+22"}) {
        const auto value = read_json(text);
        ASSERT_TRUE(value) << text;
        EXPECT_EQ(write_json(*value), text);
    }
}

TEST(ReadJson, WritesTextBackAsItWas) {
    const std::string text = R"({"a":[1,-2,0.5,true,false,null,"é😀\"\\\n\t\u0001"],"b":{},"c":[],"d":{"e":[[]]}})";
    EXPECT_EQ(write_json(read_json(text).value()), text);
}

TEST(WriteJson, IndentsForPeople) {
    EXPECT_EQ(write_json_indented({{"a", {1, 2}}, {"b", boost::json::object{}}}),
              "{\n  \"a\": [\n    1,\n    2\n  ],\n  \"b\": {}\n}\n");
}

}  // namespace
}  // namespace schema
