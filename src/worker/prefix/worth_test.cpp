#include "worker/prefix/worth.hpp"

#include <gtest/gtest.h>

namespace worker::prefix {
namespace {

TEST(Worth, LaterTokensCostMoreToEvaluate) {
    EXPECT_DOUBLE_EQ(cost_to_evaluate(5, 5), 0);
    EXPECT_GT(cost_to_evaluate(4096, 4196), 1.9 * cost_to_evaluate(0, 100));
    EXPECT_DOUBLE_EQ(cost_to_evaluate(0, 50) + cost_to_evaluate(50, 90), cost_to_evaluate(0, 90));
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
