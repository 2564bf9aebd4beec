#include "worker/engine/llama/output_format.hpp"

#include <gtest/gtest.h>

#include <random>

namespace worker::engine::llama {
namespace {

contract::OutputFormat schema(const std::string& text) {
    contract::OutputFormat format;
    format.set_json_schema(text);
    return format;
}

base::Result<void> usable(const contract::OutputFormat& format) {
    SchemaGrammars schemas;
    return check_format(format, schemas);
}

TEST(OutputFormat, TakesSchemas) {
    EXPECT_TRUE(usable({}));
    EXPECT_TRUE(usable(schema(R"({"type":"object","properties":{"a":{"type":"integer"}},"required":["a"]})")));
    contract::OutputFormat object;
    object.set_json_object(true);
    EXPECT_TRUE(usable(object));
    EXPECT_EQ(schema_of(object), R"({"type":"object"})");
}

TEST(OutputFormat, NamesTheFieldOfABadSchema) {
    const std::pair<const char*, const char*> cases[] = {
        {"{", ""}, {R"({"type":"wat"})", ".type"}, {R"({"$ref":"#/nowhere"})", ".$ref"}};
    for (const auto& [text, path] : cases) {
        const auto checked = usable(schema(text));
        ASSERT_FALSE(checked) << text;
        EXPECT_EQ(checked.error().code, base::ErrorCode::invalid);
        EXPECT_EQ(checked.error().param, std::string("output_format.json_schema") + path);
    }
}

TEST(OutputFormat, KeywordsWithValuesOfAWrongKindAreFaultsNotExceptions) {
    for (const char* text :
         {R"({"type":"array","prefixItems":[{}],"minItems":[]})", R"({"enum":[1],"type":[[]]})",
          R"({"type":"array","prefixItems":[{}],"maxItems":{}})", R"({"type":"string","pattern":"^a$","format":3})",
          R"({"type":"object","properties":{"a":{}},"required":[[1]]})", R"({"anyOf":[{}],"type":7})"}) {
        EXPECT_NO_THROW((void)usable(schema(text))) << text;
    }
}

TEST(OutputFormat, RefusesWhatWouldExhaustTheParsers) {
    const std::string deep = std::string(5000, '[') + std::string(5000, ']');
    EXPECT_FALSE(usable(schema(R"({"enum":)" + deep + "}")));
    contract::OutputFormat format;
    format.set_grammar("root ::= " + std::string(5000, '(') + "\"a\"" + std::string(5000, ')'));
    EXPECT_FALSE(usable(format));
    format.set_grammar("root ::= \"" + std::string(1 << 20, 'a') + "\"");
    EXPECT_FALSE(usable(format));
}

TEST(OutputFormat, RefusesRepetitionsWhoseMaximumIsBelowTheirMinimum) {
    const auto takes = [](const std::string& grammar) {
        contract::OutputFormat format;
        format.set_grammar(grammar);
        return usable(format).has_value();
    };
    EXPECT_FALSE(takes("root ::= \"a\"{4,2}"));
    EXPECT_FALSE(takes("root ::= [a-z]{ 12 , 3 }"));
    EXPECT_FALSE(takes("root ::= [\\]]{2,1}"));
    EXPECT_TRUE(takes("root ::= \"a\"{2,4} \"b\"{3} \"c\"{3,}"));
    EXPECT_TRUE(takes("root ::= \"{4,2}\" [{4,2}] # {4,2}"));
    EXPECT_FALSE(usable(schema(R"({"type":"string","pattern":"^[a-z]{4,2}$"})")));
    EXPECT_FALSE(usable(schema(R"({"type":"string","minLength":9,"maxLength":3})")));
    EXPECT_FALSE(usable(schema(R"({"type":"array","items":{"type":"number"},"minItems":9,"maxItems":3})")));
}

TEST(OutputFormat, MutatedSchemasGiveAnswersNotCrashes) {
    const std::string good =
        R"({"type":"object","properties":{"a":{"type":"integer","minimum":1},"b":{"anyOf":[{"type":"string"},)"
        R"({"type":"array","items":{"type":"number"},"minItems":1,"maxItems":3}]}},"required":["a"]})";
    std::mt19937 random(11);
    int taken = 0;
    for (int round = 0; round < 10000; ++round) {
        std::string text = good;
        for (auto changes = 1 + random() % 3; changes > 0; --changes) {
            const auto at = random() % text.size();
            switch (random() % 3) {
                case 0: text.erase(at, 1 + random() % 4); break;
                case 1: text.insert(at, 1, "{}[]\",:019at"[random() % 12]); break;
                default: text[at] = "{}[]\",:019at"[random() % 12];
            }
        }
        taken += usable(schema(text)) ? 1 : 0;
    }
    EXPECT_GT(taken, 0);
    EXPECT_LT(taken, 10000);
}

}  // namespace
}  // namespace worker::engine::llama
