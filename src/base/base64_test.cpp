#include "base/base64.hpp"

#include <gtest/gtest.h>

namespace base {
namespace {

TEST(Base64, MatchesTheExamplesOfTheStandard) {
    const std::pair<std::string, std::string> examples[] = {
        {"", ""}, {"f", "Zg=="}, {"fo", "Zm8="}, {"foo", "Zm9v"}, {"foob", "Zm9vYg=="}, {"fooba", "Zm9vYmE="},
    };
    for (const auto& [bytes, text] : examples) {
        EXPECT_EQ(encode_base64(bytes), text);
        EXPECT_EQ(decode_base64(text), bytes);
    }
}

TEST(Base64, KeepsEveryByte) {
    std::string bytes;
    for (int i = 0; i < 1021; ++i)
        bytes.push_back(static_cast<char>(i * 37));
    EXPECT_EQ(decode_base64(encode_base64(bytes)), bytes);
}

TEST(Base64, AcceptsWhatClientsSendAndRefusesTheRest) {
    EXPECT_EQ(decode_base64("Zg"), "f");
    EXPECT_EQ(decode_base64("-_-_"), decode_base64("+/+/"));
    EXPECT_EQ(decode_base64("Zm9v!"), std::nullopt);
    EXPECT_EQ(decode_base64("Zm9vY"), std::nullopt);
    EXPECT_EQ(decode_base64("Zm=9v"), std::nullopt);
}

}  // namespace
}  // namespace base
