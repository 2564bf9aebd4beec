#include "worker/engine/llama/schema/pattern.hpp"

#include <gtest/gtest.h>

#include <regex>

namespace worker::engine::llama::schema {
namespace {

TEST(Pattern, WhatLlamaCppKnowsStaysAsItIs) {
    for (const char* pattern : {"^[a-z]{2,3}$", "^(a|b)+c?$", "^a\\.b\\$$"}) {
        EXPECT_EQ(plain_pattern(pattern), pattern);
    }
}

TEST(Pattern, ClassesAreWrittenOut) {
    EXPECT_EQ(plain_pattern(R"(^\d{3}-\w+\s$)"), "^[0-9]{3}-[a-zA-Z0-9_]+[ ]$");
    EXPECT_EQ(plain_pattern(R"(^[\d.\/]$)"), "^[0-9./]$");
    EXPECT_EQ(plain_pattern(R"(^\D$)"), R"(^[^0-9"\\\x00-\x1F]$)");
}

TEST(Pattern, NothingItMatchesNeedsAnEscapeInJson) {
    EXPECT_EQ(plain_pattern("^.*$"), R"(^[^"\\\x00-\x1F]*$)");
    EXPECT_EQ(plain_pattern("^[^a]$"), R"(^[^a"\\\x00-\x1F]$)");
    EXPECT_EQ(plain_pattern("^[a\"\\\\\\n]$"), "^[a]$");
    EXPECT_EQ(plain_pattern(R"(^"\n\\$)"), R"(^\\"\\n\\\\$)");
}

TEST(Pattern, OpenEndsMatchAnything) {
    EXPECT_EQ(plain_pattern("a"), R"(^[^"\\\x00-\x1F]*a[^"\\\x00-\x1F]*$)");
    EXPECT_EQ(plain_pattern("^a"), R"(^a[^"\\\x00-\x1F]*$)");
    EXPECT_EQ(plain_pattern("a\\$"), R"(^[^"\\\x00-\x1F]*a\$[^"\\\x00-\x1F]*$)");
    EXPECT_EQ(plain_pattern("^a|b"), R"(^(a|b)[^"\\\x00-\x1F]*$)");
    EXPECT_EQ(plain_pattern(""), R"(^[^"\\\x00-\x1F]*[^"\\\x00-\x1F]*$)");
}

TEST(Pattern, BrokenOnesDoNotHurt) {
    for (const char* pattern : {"[", "[^", "\\", "^\\", "[\\", "(", "^", "$", "a{", "[^\\"}) {
        EXPECT_FALSE(plain_pattern(pattern).empty()) << pattern;
    }
}

TEST(Pattern, FormatsMatchTheirExamples) {
    const auto matches = [](const char* format, const std::string& text) {
        return std::regex_match(text, std::regex(std::string(pattern_of_format(format))));
    };
    EXPECT_TRUE(matches("email", "a.person+tag@mail.example.org"));
    EXPECT_FALSE(matches("email", "nobody"));
    EXPECT_TRUE(matches("ipv4", "192.168.0.255"));
    EXPECT_FALSE(matches("ipv4", "192.168.0.256"));
    EXPECT_TRUE(matches("ipv6", "2001:db8:0:0:0:0:0:1"));
    EXPECT_TRUE(matches("uri", "https://example.org/a?b=c"));
    EXPECT_FALSE(matches("uri", "no scheme"));
    EXPECT_TRUE(matches("hostname", "www.example.org"));
    EXPECT_TRUE(matches("duration", "P3DT4H"));
    EXPECT_EQ(pattern_of_format("color"), "");
}

}  // namespace
}  // namespace worker::engine::llama::schema
