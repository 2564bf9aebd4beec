#include "worker/engine/llama/changed_parse.hpp"

#include <gtest/gtest.h>

namespace worker::engine::llama {
namespace {

common_chat_msg message(const std::string& content, const std::string& reasoning = {}) {
    common_chat_msg result;
    result.content = content;
    result.reasoning_content = reasoning;
    return result;
}

std::string content_of(const std::vector<Part>& parts) {
    return parts.size() == 1 && std::holds_alternative<ContentPart>(parts[0]) ? std::get<ContentPart>(parts[0]).text
                                                                              : std::string();
}

TEST(ChangedParse, TheEndIsDeliveredFromWhereItDiffers) {
    EXPECT_EQ(content_of(rest_of_changed(message("a list: ["), message("a list: {1, 2}"))), "{1, 2}");
}

TEST(ChangedParse, NothingIsDeliveredTwice) {
    EXPECT_TRUE(rest_of_changed(message("sent <tool", "thought"), message("sent", "thought")).empty());
}

TEST(ChangedParse, CharactersAreNotCut) {
    EXPECT_EQ(content_of(rest_of_changed(message("\u00e4"), message("\u00f6!"))), "\u00f6!");
}

TEST(ChangedParse, ThoughtsComeBeforeContent) {
    const auto parts = rest_of_changed(message("x", "ab"), message("yz", "ac"));
    ASSERT_EQ(parts.size(), 2U);
    EXPECT_EQ(std::get<ReasoningPart>(parts[0]).text, "c");
    EXPECT_EQ(std::get<ContentPart>(parts[1]).text, "yz");
}

}  // namespace
}  // namespace worker::engine::llama
