#include "worker/engine/llama/grammar/spacing.hpp"

#include <gtest/gtest.h>

#include <string_view>

namespace worker::engine::llama::grammar {
namespace {

std::string guess(std::string_view text, std::optional<char> next) {
    Spacing spacing;
    for (const char letter : text) {
        spacing.follow(letter);
    }
    const auto guessed = spacing.guess(next);
    return guessed ? guessed->space : "?";
}

TEST(Spacing, IsThatOfOneLineAtFirst) {
    EXPECT_EQ(guess(R"({)", '"'), "");
    EXPECT_EQ(guess(R"({"a":)", std::nullopt), " ");
    EXPECT_EQ(guess(R"({"a": 1,)", '"'), " ");
    EXPECT_EQ(guess(R"({"a": "b")", ','), "");
    EXPECT_EQ(guess(R"({"a": "b")", '}'), "");
    EXPECT_EQ(guess(R"({"a": "b")", std::nullopt), "?");
}

TEST(Spacing, FollowsIndentation) {
    EXPECT_EQ(guess("{\n  \"a\": 1,", '"'), "\n  ");
    EXPECT_EQ(guess("{\n  \"a\": [", '"'), "\n    ");
    EXPECT_EQ(guess("{\n  \"a\": [\n    \"x\",", '"'), "\n    ");
    EXPECT_EQ(guess("{\n  \"a\": [\n    \"x\"", ']'), "\n  ");
    EXPECT_EQ(guess("{\n  \"a\": {", '"'), "\n    ");
    EXPECT_EQ(guess("{\n    \"a\": {", '"'), "\n        ");
    EXPECT_EQ(guess("{\n  \"a\": {\n    \"b\": \"c\"\n  }", '}'), "\n");
}

TEST(Spacing, KeepsApartWhatIsWrittenDifferently) {
    EXPECT_EQ(guess("{\n  \"a\": [\"x\",", '"'), " ");
    EXPECT_EQ(guess("{\n  \"a\": [\"x\"", ']'), "");
    EXPECT_EQ(guess("{\n  \"a\": [\"x\", \"y\"],", '"'), "\n  ");
    EXPECT_EQ(guess(R"({"a":1,"b":)", std::nullopt), "");
    EXPECT_EQ(guess(R"({"a":1,"b":2,)", '"'), "");
}

TEST(Spacing, OfSpaceThatHasBegunComesTheRest) {
    EXPECT_EQ(guess("{\n ", '"'), " ");
    EXPECT_EQ(guess("{\n  ", '"'), "?");
    EXPECT_EQ(guess("{\n  \"a\": [\n", '"'), "    ");
    EXPECT_EQ(guess("{ ", '"'), "?");
}

TEST(Spacing, BeginsWithTheHabitsOfAnotherText) {
    Spacing first;
    for (const char letter : std::string_view("{\n   \"a\":[")) {
        first.follow(letter);
    }
    Spacing second;
    EXPECT_FALSE(second.has_habits());
    second.begin_like(first);
    second.follow('{');
    EXPECT_EQ(second.guess('"')->space, "\n   ");
}

TEST(Spacing, LooksAtNothingInsideStrings) {
    EXPECT_EQ(guess("{\n  \"a\": \"{[, \\\"\",", '"'), "\n  ");
}

TEST(Spacing, TextThatIsNoJsonDoesNoHarm) {
    EXPECT_EQ(guess("}}]] \" ,,, {{{", std::nullopt), "?");
    EXPECT_EQ(guess(std::string(1000, '{') + std::string(2000, '}'), std::nullopt), "?");
}

}  // namespace
}  // namespace worker::engine::llama::grammar
