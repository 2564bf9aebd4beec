#include "worker/prefix/worth.hpp"

#include <gtest/gtest.h>

namespace worker::prefix {
namespace {

TEST(Worth, AllTokensCostTheSameUntilMoreIsKnown) {
    const Effort effort;
    EXPECT_DOUBLE_EQ(effort.of(5, 5), 0);
    EXPECT_DOUBLE_EQ(effort.of(4096, 4196), effort.of(0, 100));
}

TEST(Worth, LaterTokensCostMoreToEvaluate) {
    Effort effort;
    effort.tell(2000);
    EXPECT_DOUBLE_EQ(effort.of(1950, 2050), 2 * 100);
    EXPECT_DOUBLE_EQ(effort.of(0, 50) + effort.of(50, 90), effort.of(0, 90));
}

TEST(Worth, GrowsWithUseAndFadesWithoutIt) {
    Clock clock;
    Use once;
    once.again(clock);
    Use often = once;
    often.again(clock);
    EXPECT_GT(often.worth(100, 100), once.worth(100, 100));
    clock.gone(often.worth(100, 100));
    Use fresh;
    fresh.again(clock);
    EXPECT_GT(fresh.worth(100, 100), often.worth(100, 100));
}

TEST(Worth, WhatFreesNothingIsWorthNothing) {
    Clock clock;
    Use use;
    use.again(clock);
    EXPECT_EQ(use.worth(100, 0), 0);
    EXPECT_GT(use.worth(100, 10), use.worth(100, 20));
}

}  // namespace
}  // namespace worker::prefix
