#include "worker/speculation/step_cost.hpp"

#include <gtest/gtest.h>

namespace worker::speculation {
namespace {

using std::chrono::milliseconds;

TEST(StepCost, KnowsNothingAtFirst) {
    EXPECT_EQ(StepCost(32).seconds(1), 0);
}

TEST(StepCost, TellsWhatItMeasured) {
    StepCost cost(32);
    cost.observe(1, milliseconds(10));
    cost.observe(8, milliseconds(30));
    EXPECT_DOUBLE_EQ(cost.seconds(1), 0.010);
    EXPECT_DOUBLE_EQ(cost.seconds(8), 0.030);
}

TEST(StepCost, LiesBetweenMeasuredNeighbours) {
    StepCost cost(32);
    cost.observe(4, milliseconds(20));
    cost.observe(8, milliseconds(30));
    EXPECT_DOUBLE_EQ(cost.seconds(6), 0.025);
}

TEST(StepCost, AssumesThatMoreTokensCostMore) {
    StepCost cost(32);
    cost.observe(4, milliseconds(20));
    EXPECT_GT(cost.seconds(5), cost.seconds(4));
    EXPECT_GT(cost.seconds(32), cost.seconds(16));
    EXPECT_LT(cost.seconds(1), cost.seconds(2));
    EXPECT_GT(cost.seconds(1), 0);
}

TEST(StepCost, FollowsChangesAndIsNotMisledByOneSlowStep) {
    StepCost cost(32);
    cost.observe(1, milliseconds(10));
    cost.observe(1, milliseconds(5000));
    EXPECT_LT(cost.seconds(1), 0.013);
    for (int count = 0; count < 50; ++count) {
        cost.observe(1, milliseconds(40));
    }
    EXPECT_NEAR(cost.seconds(1), 0.040, 0.001);
}

TEST(StepCost, LooksAtNoLargerSteps) {
    StepCost cost(8);
    cost.observe(9, milliseconds(10));
    EXPECT_EQ(cost.seconds(8), 0);
}

}  // namespace
}  // namespace worker::speculation
