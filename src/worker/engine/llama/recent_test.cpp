#include "worker/engine/llama/recent.hpp"

#include <gtest/gtest.h>

namespace worker::engine::llama {
namespace {

llm_gateway::engine::v1::CacheStatistics statistics(const Recent<int>& recent) {
    llm_gateway::engine::v1::StatisticsReply reply;
    recent.report("numbers", reply);
    return reply.caches(0);
}

TEST(Recent, KeepsWhatWasUsedLastWithinItsBound) {
    Recent<int> recent(30);
    recent.keep("one", 1, 10);
    recent.keep("two", 2, 10);
    EXPECT_EQ(recent.find("one"), 1);
    recent.keep("three", 3, 5);
    EXPECT_EQ(recent.find("two"), std::nullopt) << "the one unused for longest leaves";
    EXPECT_EQ(recent.find("one"), 1);
    EXPECT_EQ(recent.find("three"), 3);
    EXPECT_EQ(statistics(recent).bytes(), 23U);
}

TEST(Recent, WhatIsLargerThanTheBoundIsNotKept) {
    Recent<int> recent(30);
    recent.keep("one", 1, 10);
    recent.keep("large", 2, 40);
    EXPECT_EQ(recent.find("large"), std::nullopt);
    EXPECT_EQ(recent.find("one"), 1);
}

TEST(Recent, _29_StaysWithinItsBoundAndTellsOfIt) {
    Recent<int> recent(1000);
    for (int number = 0; number < 500; ++number) {
        const auto text = "text " + std::to_string(number % 60);
        if (!recent.find(text)) {
            recent.keep(text, number, 40);
        }
        ASSERT_LE(statistics(recent).bytes(), 1000U);
    }
    EXPECT_EQ(statistics(recent).limit_bytes(), 1000U);
    EXPECT_EQ(statistics(recent).hits() + statistics(recent).misses(), 500U);
}

}  // namespace
}  // namespace worker::engine::llama
