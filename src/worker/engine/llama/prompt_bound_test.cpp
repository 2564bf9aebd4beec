#include "worker/engine/llama/prompt_bound.hpp"

#include <gtest/gtest.h>

namespace worker::engine::llama {
namespace {

TEST(PromptBound, TextThatCouldFitPasses) {
    EXPECT_TRUE(check_could_fit(0, 16, 100));
    EXPECT_TRUE(check_could_fit(99 * 16, 16, 100));
}

TEST(PromptBound, TextThatCannotFitIsRefusedWithTheFewestTokensItHas) {
    const auto refused = check_could_fit(99 * 16 + 1, 16, 100);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, base::ErrorCode::context_length);
    EXPECT_NE(refused.error().message.find("maximum context length is 100 tokens"), std::string::npos);
    EXPECT_EQ(check_could_fit(32 << 20, 16, 100).error().message.find("at least 2097152 tokens") != std::string::npos,
              true);
}

}  // namespace
}  // namespace worker::engine::llama
