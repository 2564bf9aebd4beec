#include "worker/engine/llama/grammar_text.hpp"

#include <gtest/gtest.h>

namespace worker::engine::llama {
namespace {

TEST(GrammarText, FreeTextBeforeARequiredCallIsTakenOut) {
    EXPECT_EQ(without_free_text("until-1 ::= [a-z]*\nroot ::= \"x\" until-1? tool-call\nspace ::= \" \"\n"),
              "until-1 ::= [a-z]*\nroot ::= \"x\" tool-call\nspace ::= \" \"\n");
    EXPECT_EQ(without_free_text("root ::= until-12 tool-call\n"), "root ::= until-12 tool-call\n") << "reasoning stays";
    EXPECT_EQ(without_free_text("a ::= \"b\"\n"), "a ::= \"b\"\n");
}

TEST(GrammarText, RepeatedCallsBecomeOne) {
    EXPECT_EQ(with_one_call("root ::= tool-calls\ntool-calls ::= (tool-call space)+\nx ::= [a]+\n"),
              "root ::= tool-calls\ntool-calls ::= (tool-call space)\nx ::= [a]+\n");
    EXPECT_EQ(with_one_call("tool-calls ::= \"a\"\n"), "tool-calls ::= \"a\"\n");
    EXPECT_EQ(with_one_call("root ::= \"a\"+\n"), "root ::= \"a\"+\n");
}

TEST(GrammarText, OneOfTwoGrammarsKeepsTheirRulesApart) {
    EXPECT_EQ(either("say\n", "root ::= \"root\" item{2,3} # item\nitem ::= [^\\]item] <|item|>", "root ::= item-2"),
              "root ::= \"say\\n\" (one-root | other-root)\n"
              "one-root ::= \"root\" one-item{2,3} # item\none-item ::= [^\\]item] <|item|>\n"
              "other-root ::= other-item-2");
    EXPECT_EQ(either("", "root ::= \"a\"", "root ::= \"b\""),
              "root ::= (one-root | other-root)\none-root ::= \"a\"\nother-root ::= \"b\"");
}

}  // namespace
}  // namespace worker::engine::llama
