#include "worker/engine/llama/candidates.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

namespace worker::engine::llama {
namespace {

constexpr float impossible = -std::numeric_limits<float>::infinity();

std::vector<Token> ids(const std::vector<llama_token_data>& candidates) {
    std::vector<Token> tokens;
    for (const auto& candidate : candidates) {
        tokens.push_back(candidate.id);
    }
    return tokens;
}

Candidates looking_at(const std::vector<float>& logits, const grammar::TokenMask* allowed = nullptr) {
    Candidates candidates;
    candidates.look_at(logits, allowed);
    return candidates;
}

TEST(Candidates, TheLikeliestIsTheFirstOfEquals) {
    EXPECT_EQ(looking_at({1, 3, 2, 3}).likeliest(), 1);
    std::vector<float> logits(200, 0.5F);
    logits[70] = logits[199] = 0.75F;
    EXPECT_EQ(looking_at(logits).likeliest(), 70);
}

TEST(Candidates, WhatCannotComeIsNone) {
    grammar::TokenMask allowed(4);
    EXPECT_TRUE(looking_at({1, 3, 2, 3}, &allowed).empty());
    allowed.add(2);
    EXPECT_EQ(ids(looking_at({1, 3, 2, 3}, &allowed).all()), (std::vector<Token>{2}));
    EXPECT_TRUE(looking_at({1, 3, impossible, 3}, &allowed).empty());
    EXPECT_EQ(ids(looking_at({1, impossible, 2, 3}).all()), (std::vector<Token>{0, 2, 3}));
}

TEST(Candidates, OfEqualsTheFirstIsLarger) {
    EXPECT_EQ(ids(looking_at({1, 5, 2, 4, 2}).largest(3)), (std::vector<Token>{1, 3, 2}));
    EXPECT_EQ(ids(looking_at({7, 5, 7, 4, 2}).largest(2)), (std::vector<Token>{0, 2}));
    EXPECT_EQ(ids(looking_at({7, 5, 7}).largest(9)), (std::vector<Token>{0, 2, 1}));
}

TEST(Candidates, AgreeWithASortOfTheWholeRow) {
    const auto seed = std::random_device{}();
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    for (int round = 0; round < 300; ++round) {
        const auto size = std::uniform_int_distribution<std::size_t>(1, 3000)(random);
        std::normal_distribution<float> logit(0, std::uniform_real_distribution<float>(0.1F, 12)(random));
        std::vector<float> logits(size);
        std::ranges::generate(logits, [&] { return random() % 50 == 0 ? impossible : logit(random); });
        grammar::TokenMask allowed(size);
        const auto share = random() % 100;
        for (std::size_t token = 0; token < size; ++token) {
            if (random() % 100 <= share) {
                allowed.add(static_cast<Token>(token));
            }
        }
        const bool masked = random() % 2 == 0;
        std::vector<llama_token_data> expected;
        for (std::size_t token = 0; token < size; ++token) {
            if (logits[token] != impossible && (!masked || allowed.contains(static_cast<Token>(token)))) {
                expected.push_back({.id = static_cast<Token>(token), .logit = logits[token], .p = 0});
            }
        }
        const auto candidates = looking_at(logits, masked ? &allowed : nullptr);
        ASSERT_EQ(candidates.empty(), expected.empty());
        if (expected.empty()) {
            continue;
        }
        ASSERT_EQ(ids(candidates.all()), ids(expected));
        float sum = 0;
        for (const auto& each : expected) {
            sum += expf(each.logit - candidates.maximum());
        }
        ASSERT_EQ(candidates.exponential_sum(), sum);
        std::ranges::sort(expected, [](const auto& one, const auto& other) {
            return one.logit > other.logit || (one.logit == other.logit && one.id < other.id);
        });
        ASSERT_EQ(candidates.maximum(), expected.front().logit);
        ASSERT_EQ(candidates.likeliest(), expected.front().id);
        const auto count = std::uniform_int_distribution<std::size_t>(1, 1 + expected.size())(random);
        expected.resize(std::min(count, expected.size()));
        ASSERT_EQ(ids(candidates.largest(count)), ids(expected));
    }
}

TEST(Candidates, ALogSumOfExponentialsDoesNotOverflow) {
    EXPECT_NEAR(log_sum_exp(std::vector<float>(1000, 300.0F)), 300 + std::log(1000.0F), 1e-3);
    EXPECT_NEAR(log_sum_exp(std::vector<float>{1, 2, 3, impossible}), 3.407606F, 1e-5);
}

}  // namespace
}  // namespace worker::engine::llama
