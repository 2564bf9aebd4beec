#include "worker/engine/diffusion/engine_log.hpp"

#include <gtest/gtest.h>
#include <stable-diffusion.h>

namespace worker::engine::diffusion {
namespace {

TEST(EngineLog, FollowsADrawingOfTwoPasses) {
    EngineLog log;
    log.begin();
    EXPECT_EQ(log.phase(), Phase::encoding);
    const auto after = [&](const char* line) {
        log.line(SD_LOG_INFO, line);
        return log.phase();
    };
    EXPECT_EQ(after("stable-diffusion.cpp:3400 - generating image: 1/1 - seed 5\n"), Phase::sampling);
    EXPECT_EQ(after("stable-diffusion.cpp:3430 - sampling completed, taking 1.00s\n"), Phase::decoding);
    EXPECT_EQ(after("stable-diffusion.cpp:3460 - hires fix: upscaling to 128x128\n"), Phase::decoding);
    EXPECT_EQ(after("stable-diffusion.cpp:3500 - hires sampling 1/1\n"), Phase::sampling);
    EXPECT_EQ(after("stable-diffusion.cpp:3530 - hires sampling 1/1 completed, taking 1.00s\n"), Phase::decoding);
}

TEST(EngineLog, CountsWhatWasUsedOfAnAdapter) {
    EngineLog log;
    log.begin();
    log.line(SD_LOG_INFO,
             "lora.hpp:830 - (3 / 3) LoRA tensors have been applied, lora_file_path = /l/a b.safetensors\n");
    log.line(SD_LOG_WARN,
             "lora.hpp:827 - Only (2 / 9) LoRA tensors have been applied, lora_file_path = /l/a b.safetensors\n");
    log.line(SD_LOG_WARN, "lora.hpp:827 - Only (0 / 9) LoRA tensors have been applied, lora_file_path = /l/other\n");
    EXPECT_EQ(log.lora_tensors_used("/l/a b.safetensors"), 5U);
    EXPECT_EQ(log.lora_tensors_used("/l/other"), 0U);
    EXPECT_EQ(log.lora_tensors_used("/l/none"), 0U);
    log.begin();
    EXPECT_EQ(log.lora_tensors_used("/l/a b.safetensors"), 0U);
}

TEST(EngineLog, SeesThatNothingReadsPrompts) {
    EngineLog log;
    EXPECT_FALSE(log.text_encoders_missing());
    log.line(SD_LOG_WARN,
             "conditioner.hpp:474 - IMPORTANT NOTICE: No text encoders provided, cannot process prompts!\n");
    EXPECT_TRUE(log.text_encoders_missing());
}

}  // namespace
}  // namespace worker::engine::diffusion
