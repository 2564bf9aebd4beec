#include "worker/engine/llama/schema/number_range.hpp"

#include <gtest/gtest.h>
#include <json-schema-to-grammar.h>

#include <random>
#include <regex>

#include "worker/engine/llama/schema/enforceable.hpp"

namespace worker::engine::llama::schema {
namespace {

// The root rule of the schema's grammar as a regular expression: this part of both languages is nearly the same.
std::regex numbers_of(const std::string& schema) {
    const std::string grammar =
        with_numbers(json_schema_to_grammar(prepared(common_json::parse(schema), Numbers::enforced)));
    const auto begin = grammar.find("root ::= ") + 9;
    std::string pattern = grammar.substr(begin, grammar.find('\n', begin) - begin);
    pattern = std::regex_replace(pattern, std::regex(R"("\.")"), "\\.");
    pattern = std::regex_replace(pattern, std::regex(R"([" ])"), "");
    return std::regex(pattern);
}

TEST(NumberRange, NumbersWithinAndOutside) {
    const auto inside = [](const char* schema, const std::string& text) {
        return std::regex_match(text, numbers_of(schema));
    };
    const char* share = R"({"type":"number","minimum":0,"maximum":1})";
    for (const char* good : {"0", "1", "0.5", "1.0", "0.99"}) {
        EXPECT_TRUE(inside(share, good)) << good;
    }
    for (const char* bad : {"-0.1", "1.1", "2", "01", "1e5", "", "-0"}) {
        EXPECT_FALSE(inside(share, bad)) << bad;
    }
    const char* positive = R"({"type":"number","exclusiveMinimum":0})";
    EXPECT_TRUE(inside(positive, "0.25"));
    EXPECT_TRUE(inside(positive, "123456.5"));
    EXPECT_FALSE(inside(positive, "0"));
    EXPECT_FALSE(inside(positive, "0.0"));
    EXPECT_FALSE(inside(positive, "-3"));
    const char* below = R"({"type":"number","exclusiveMaximum":-5})";
    EXPECT_TRUE(inside(below, "-5.5"));
    EXPECT_FALSE(inside(below, "-5"));
    EXPECT_FALSE(inside(below, "-4.9"));
    EXPECT_FALSE(inside(below, "3"));
}

TEST(NumberRange, AgreesWithArithmetic) {
    const auto seed = std::random_device{}();
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    for (int round = 0; round < 60; ++round) {
        const int scale = round % 2 == 0 ? 20 : 2000;
        const int low = static_cast<int>(random() % scale) - scale / 2;
        const int high = low + static_cast<int>(random() % scale);
        const auto pattern = numbers_of("{\"type\":\"number\",\"minimum\":" + std::to_string(low) +
                                        ",\"maximum\":" + std::to_string(high) + "}");
        for (int each = 0; each < 60; ++each) {
            const int tenths =
                low * 10 - 30 + static_cast<int>(random() % static_cast<unsigned>((high - low) * 10 + 60));
            std::string text = std::to_string(std::abs(tenths) / 10) + "." + std::to_string(std::abs(tenths) % 10);
            text = (tenths < 0 ? "-" : "") + text;
            EXPECT_EQ(std::regex_match(text, pattern), low * 10 <= tenths && tenths <= high * 10)
                << text << " in " << low << " " << high;
        }
    }
}

TEST(NumberRange, OnlyWholeBoundsOfModerateSize) {
    const auto known = [](const char* text) { return number_constant(common_json::parse(text)).has_value(); };
    EXPECT_TRUE(known(R"({"type":"number","minimum":1.0})"));
    EXPECT_FALSE(known(R"({"type":"number","minimum":0.5})"));
    EXPECT_FALSE(known(R"({"type":"number","minimum":1e300})"));
    EXPECT_FALSE(known(R"({"type":"number","minimum":3,"maximum":2})"));
    EXPECT_FALSE(known(R"({"type":"number","exclusiveMinimum":3,"maximum":3})"));
    EXPECT_FALSE(known(R"({"type":"number"})"));
    EXPECT_FALSE(known(R"({"type":"integer","minimum":0})"));
}

TEST(NumberRange, OtherGrammarsStayAsTheyAre) {
    EXPECT_EQ(with_numbers("root ::= \"a\""), "root ::= \"a\"");
    EXPECT_EQ(with_numbers("root ::= \"\\\"number within "), "root ::= \"\\\"number within ");
}

}  // namespace
}  // namespace worker::engine::llama::schema
