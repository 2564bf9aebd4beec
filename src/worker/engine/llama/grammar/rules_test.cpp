#include "worker/engine/llama/grammar/rules.hpp"

#include <gtest/gtest.h>

namespace worker::engine::llama::grammar {
namespace {

std::string complaint(const std::string& text) {
    const auto rules = parse_rules(nullptr, text);
    return rules ? "" : rules.error().message;
}

TEST(Rules, AreReadWithCommentsAndSpace) {
    EXPECT_EQ(complaint("# first\n\n  root ::= \"a\" b # then\nb ::= [a-z]+ | \"\"\n"), "");
}

TEST(Rules, FaultsAreNamed) {
    EXPECT_EQ(complaint(""), "The grammar has no rule 'root'.");
    EXPECT_EQ(complaint("a ::= \"b\""), "The grammar has no rule 'root'.");
    EXPECT_EQ(complaint("root ::= \"a\" missing"), "The grammar has no rule 'missing'.");
    EXPECT_NE(complaint("root ::= \"a").find("cannot be read"), std::string::npos);
    EXPECT_NE(complaint("%llguidance {}").find("cannot be read"), std::string::npos);
}

TEST(Rules, LeftRecursionIsRefused) {
    const std::string refused = "A rule of the grammar begins with itself (left recursion).";
    EXPECT_EQ(complaint("root ::= root \"a\" | \"b\""), refused);
    EXPECT_EQ(complaint("root ::= a \"x\"\na ::= b? root | \"c\"\nb ::= \"b\""), refused);
    EXPECT_EQ(complaint("root ::= \"(\" root \")\" | \"\""), "");
    EXPECT_EQ(complaint("root ::= (\"a\"* \"b\"?)* \"c\""), "");
}

TEST(Rules, LeftRecursionBehindRulesThatCanBeEmptyIsRefused) {
    EXPECT_EQ(complaint("root ::= empty root \"x\" | \"y\"\nempty ::= nothing nothing\nnothing ::= \"\""),
              "A rule of the grammar begins with itself (left recursion).");
}

}  // namespace
}  // namespace worker::engine::llama::grammar
