#include "worker/engine/llama/schema_places.hpp"

#include <gtest/gtest.h>
#include <json-schema-to-grammar.h>
#include <json.h>

namespace worker::engine::llama {
namespace {

TEST(SchemaPlaces, TheConstantThatLlamaCppWritesBecomesARule) {
    const std::string grammar = json_schema_to_grammar(
        common_json::parse(R"({"type":"object","properties":{"a":)" + stand_in(0) + R"(,"b":)" + stand_in(11) + "}}"));
    EXPECT_TRUE(has_stand_in(grammar, 0));
    EXPECT_TRUE(has_stand_in(grammar, 11));
    EXPECT_FALSE(has_stand_in(grammar, 1));
    const auto filled = put_in_place(grammar, 11, "root ::= \"x\" more-1\nmore-1 ::= [a-z]\n");
    EXPECT_TRUE(has_stand_in(filled, 0));
    EXPECT_FALSE(has_stand_in(filled, 11));
    EXPECT_NE(filled.find("b ::= schema-11-root\n"), std::string::npos) << filled;
    EXPECT_NE(filled.find("schema-11-root ::= \"x\" schema-11-more-1\nschema-11-more-1 ::= [a-z]\n"), std::string::npos)
        << filled;
}

TEST(SchemaPlaces, OtherGrammarsStayAsTheyAre) {
    EXPECT_EQ(put_in_place("root ::= \"a\"\n", 0, "root ::= \"b\"\n"), "root ::= \"a\"\n");
}

}  // namespace
}  // namespace worker::engine::llama
