#include "worker/engine/kernels.hpp"

#include <gtest/gtest.h>

namespace worker::engine {
namespace {

TEST(Kernels, TheHighestScoreWins) {
    const std::vector<KernelScore> scores = {{"haswell", 64}, {"sapphirerapids", 4095}, {"x64", 1}};
    ASSERT_NE(best_kernels(scores), nullptr);
    EXPECT_EQ(best_kernels(scores)->name, "sapphirerapids");
}

TEST(Kernels, VariantsThisProcessorCannotRunAreNeverChosen) {
    const std::vector<KernelScore> scores = {{"sapphirerapids", 0}, {"x64", 1}};
    EXPECT_EQ(best_kernels(scores)->name, "x64");
    EXPECT_EQ(best_kernels(std::vector<KernelScore>{{"zen4", 0}}), nullptr);
    EXPECT_EQ(best_kernels({}), nullptr);
}

TEST(Kernels, EqualScoresAreDecidedByName) {
    const std::vector<KernelScore> scores = {{"b", 7}, {"a", 7}};
    EXPECT_EQ(best_kernels(scores)->name, "a");
}

TEST(Kernels, AFolderWithoutModulesIsAnError) {
    const auto kernels = load_kernels("/nonexistent");
    ASSERT_FALSE(kernels.has_value());
    EXPECT_EQ(kernels.error().code, base::ErrorCode::unavailable);
}

}  // namespace
}  // namespace worker::engine
