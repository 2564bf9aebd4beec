#include "worker/image/metadata.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace worker::image;
using testing::HasSubstr;

TEST(Metadata, ReadsLikeTheOneOfOtherTools) {
    const DrawRequest request{.prompt = "a cat, 4k",
                              .negative_prompt = "blurry",
                              .width = 512,
                              .height = 768,
                              .steps = 20,
                              .cfg_scale = 6.5F,
                              .sampler = "euler_a",
                              .scheduler = "karras",
                              .seed = 42,
                              .clip_skip = 2,
                              .loras = {{.path = "/loras/style.safetensors", .scale = 0.5F}}};
    EXPECT_EQ(metadata_text(request, {.family = "SD 1.x", .description = "dream, v8"}),
              "a cat, 4k\nNegative prompt: blurry\nSteps: 20, Sampler: euler_a, Schedule type: karras, CFG scale: 6.5, "
              "Seed: 42, Size: 512x768, Clip skip: 2, Lora: style 0.5, Model: \"dream, v8\", Version: "
              "llm-gateway " LLM_GATEWAY_VERSION);
}

TEST(Metadata, LeavesOutWhatWasNotUsed) {
    const auto text = metadata_text({.prompt = "x", .sampler = "euler", .scheduler = "simple"}, {});
    EXPECT_THAT(text, testing::Not(HasSubstr("Negative prompt")));
    EXPECT_THAT(text, testing::Not(HasSubstr("Clip skip")));
    EXPECT_THAT(text, testing::Not(HasSubstr("Denoising")));
}
