#include "worker/engine/llama/sampling.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <set>

namespace worker::engine::llama {
namespace {

base::Result<common_params_sampling> params(const contract::Sampling& sampling) {
    return sampling_of(sampling, nullptr, 4096);
}

TEST(Sampling, WhatIsNotSetIsTheEnginesDefaultExceptTemperature) {
    const auto got = params({});
    ASSERT_TRUE(got);
    EXPECT_EQ(got->temp, 1.0F);
    EXPECT_EQ(got->top_k, common_params_sampling().top_k);
    EXPECT_EQ(got->top_p, common_params_sampling().top_p);
}

TEST(Sampling, PenaltiesLookBackAtMostOneContext) {
    contract::Sampling sampling;
    sampling.set_repeat_last_n(-1);
    EXPECT_EQ(params(sampling)->penalty_last_n, 4096);
    sampling.set_repeat_last_n(std::numeric_limits<std::int32_t>::max());
    EXPECT_EQ(params(sampling)->penalty_last_n, 4096);
}

TEST(Sampling, NoSeedMeansARandomOne) {
    std::set<std::uint32_t> seeds;
    for (const std::uint32_t choice : {0U, 1U, 2U, 3U}) {
        seeds.insert(seed_of_choice(LLAMA_DEFAULT_SEED - 1, choice));
    }
    EXPECT_EQ(seeds.size(), 4U);
    EXPECT_FALSE(seeds.contains(LLAMA_DEFAULT_SEED));
    EXPECT_EQ(seed_of_choice(7, 2), 9U);
}

TEST(Sampling, FaultsNameTheirField) {
    contract::Sampling sampling;
    sampling.set_temperature(std::numeric_limits<float>::quiet_NaN());
    EXPECT_EQ(params(sampling).error().param, "sampling.temperature");
    sampling.clear_temperature();
    sampling.set_repeat_penalty(0);
    EXPECT_EQ(params(sampling).error().param, "sampling.repeat_penalty");
    sampling.clear_repeat_penalty();
    sampling.set_mirostat(3);
    EXPECT_EQ(params(sampling).error().param, "sampling.mirostat");
}

}  // namespace
}  // namespace worker::engine::llama
