#include "worker/engine/llama/json_content.hpp"

#include <gtest/gtest.h>

namespace worker::engine::llama {
namespace {

std::string read_letter_by_letter(std::string_view text) {
    JsonContent content;
    std::string json;
    for (const char letter : text) {
        json += content.read(std::string_view(&letter, 1));
    }
    return json;
}

void expect_json(std::string_view text, std::string_view json) {
    EXPECT_EQ(JsonContent().read(text), json);
    EXPECT_EQ(read_letter_by_letter(text), json);
}

TEST(JsonContent, IsWhatItIs) {
    expect_json(R"({"a": [1, "b"]})", R"({"a": [1, "b"]})");
    expect_json("12", "12");
    expect_json("", "");
}

TEST(JsonContent, HasNoSpaceAround) {
    expect_json(" \n{ }\n\n", "{ }");
}

TEST(JsonContent, ComesOutOfItsFence) {
    expect_json("```json\n{\"a\": 1}\n```\n", "{\"a\": 1}");
    expect_json("\n```json {\"a\": \"```\"} ```", "{\"a\": \"```\"}");
}

TEST(JsonContent, StringsMayHoldAnything) {
    expect_json(R"("a\"` \\")", R"("a\"` \\")");
    expect_json("{\"cut\": \"in ` ", "{\"cut\": \"in ` ");
}

}  // namespace
}  // namespace worker::engine::llama
