#include "base/recent.hpp"

#include <gtest/gtest.h>

namespace base {
namespace {

struct Statistics {
    std::string name;
    std::uint64_t hits = 0, misses = 0, bytes = 0, limit_bytes = 0;

    Statistics* add_caches() { return this; }
    void set_name(std::string value) { name = std::move(value); }
    void set_hits(std::uint64_t value) { hits = value; }
    void set_misses(std::uint64_t value) { misses = value; }
    void set_bytes(std::uint64_t value) { bytes = value; }
    void set_limit_bytes(std::uint64_t value) { limit_bytes = value; }
};

Statistics statistics(const Recent<int>& recent) {
    Statistics told;
    recent.report("numbers", told);
    return told;
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
    EXPECT_EQ(statistics(recent).bytes, 23U);
}

TEST(Recent, ToAskWhetherSomethingIsThereIsNoUseOfIt) {
    Recent<int> recent(30);
    recent.keep("one", 1, 10);
    EXPECT_TRUE(recent.contains("one"));
    EXPECT_FALSE(recent.contains("two"));
    EXPECT_EQ(statistics(recent).hits + statistics(recent).misses, 0U);
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
        ASSERT_LE(statistics(recent).bytes, 1000U);
    }
    EXPECT_EQ(statistics(recent).limit_bytes, 1000U);
    EXPECT_EQ(statistics(recent).hits + statistics(recent).misses, 500U);
}

}  // namespace
}  // namespace base
