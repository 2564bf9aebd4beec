#include "worker/cost/step_cost.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace worker::cost {
namespace {

using std::chrono::milliseconds;

base::Duration time(double seconds) {
    return std::chrono::duration_cast<base::Duration>(std::chrono::duration<double>(seconds));
}

TEST(StepCost, KnowsNothingAtFirst) {
    const StepCost cost(32);
    EXPECT_EQ(cost.seconds({.generating = 1}), 0);
    EXPECT_EQ(cost.seconds({.generating = 1, .prompt_tokens = 100}), 0);
    EXPECT_EQ(cost.prompt_token(0), 0);
    EXPECT_FALSE(cost.depth_of_double_cost());
}

TEST(StepCost, TellsWhatItMeasured) {
    StepCost cost(32);
    cost.observe({.generating = 1}, milliseconds(10));
    cost.observe({.generating = 2, .drafted = 6}, milliseconds(30));
    EXPECT_DOUBLE_EQ(cost.seconds({.generating = 1}), 0.010);
    EXPECT_DOUBLE_EQ(cost.seconds({.generating = 8}), 0.030);
}

TEST(StepCost, LiesBetweenMeasuredNeighbours) {
    StepCost cost(32);
    cost.observe({.generating = 4}, milliseconds(20));
    cost.observe({.generating = 8}, milliseconds(30));
    EXPECT_DOUBLE_EQ(cost.seconds({.generating = 6}), 0.025);
}

TEST(StepCost, AssumesThatMoreTokensCostMore) {
    StepCost cost(32);
    cost.observe({.generating = 4}, milliseconds(20));
    for (std::size_t tokens = 1; tokens < 40; ++tokens) {
        EXPECT_LT(cost.seconds({.generating = tokens}), cost.seconds({.generating = tokens + 1})) << tokens;
    }
    EXPECT_GT(cost.seconds({.generating = 1}), 0);
}

TEST(StepCost, BeyondWhatWasMeasuredATokenCostsWhatOneOfAPromptDoes) {
    StepCost cost(32);
    cost.observe({.prompt_tokens = 500}, milliseconds(500));
    cost.observe({.generating = 2}, milliseconds(20));
    EXPECT_NEAR(cost.seconds({.generating = 5}), 0.023, 1e-6);
    EXPECT_NEAR(cost.seconds({.generating = 1}), 0.019, 1e-6);
}

TEST(StepCost, FollowsChangesAndIsNotMisledByOneSlowStep) {
    StepCost cost(32);
    cost.observe({.generating = 1}, milliseconds(10));
    cost.observe({.generating = 1}, milliseconds(5000));
    EXPECT_LT(cost.seconds({.generating = 1}), 0.013);
    for (int count = 0; count < 5; ++count) {
        cost.observe({.generating = 1}, milliseconds(40));
    }
    EXPECT_NEAR(cost.seconds({.generating = 1}), 0.040, 0.001);
}

TEST(StepCost, LearnsNothingFromLargerSteps) {
    StepCost cost(8);
    cost.observe({.generating = 9}, milliseconds(10));
    EXPECT_EQ(cost.seconds({.generating = 8}), 0);
}

TEST(StepCost, LearnsFromPromptsAtWhichDepthATokenCostsTwiceAsMuch) {
    StepCost cost(32);
    for (int round = 0; round < 60; ++round) {
        for (std::size_t position = 256; position < 6000; position += 512) {
            cost.observe({.prompt_tokens = 512, .position = position},
                         time(512 * 0.001 * (1 + static_cast<double>(position) / 3000)));
        }
    }
    ASSERT_TRUE(cost.depth_of_double_cost());
    EXPECT_NEAR(*cost.depth_of_double_cost(), 3000, 300);
}

/// A processor whose steps cost what it pleases; some are held up.
struct Machine {
    explicit Machine(unsigned seed) : random(seed) {
        double seconds = uniform(0.001, 0.05);
        for (double& each : answers) {
            each = seconds;
            seconds += uniform(0, 0.3) * answers[0];
        }
        first = uniform(0.05, 0.5) * answers[0];
        growth = first / uniform(1000, 20'000);
    }

    double uniform(double from, double to) { return std::uniform_real_distribution(from, to)(random); }
    std::size_t below(std::size_t limit) { return random() % limit; }

    double seconds(const StepShape& step) const {
        const auto tokens = step.generating + step.drafted;
        return (tokens == 0 ? 0 : answers[tokens]) +
               growth * static_cast<double>(tokens * step.depth + step.prompt_tokens * step.position) +
               first * static_cast<double>(step.prompt_tokens);
    }

    StepShape any_step() {
        StepShape step{.generating = below(9), .depth = below(4000)};
        if (step.generating == 0 || below(2) == 0) {
            step.prompt_tokens = 64 + below(448);
            step.position = step.prompt_tokens / 2 + below(6000);
        } else {
            step.drafted = below(16);
        }
        return step;
    }

    std::mt19937 random;
    std::array<double, 40> answers{};
    double first = 0;
    double growth = 0;
};

class AnyMachine : public testing::TestWithParam<unsigned> {};

TEST_P(AnyMachine, IsKnownAfterSomeStepsWhateverHoldsUpSomeOfThem) {
    Machine machine(GetParam());
    StepCost cost(32);
    for (int count = 0; count < 3000; ++count) {
        const auto step = machine.any_step();
        const double noise = machine.below(12) == 0 ? machine.uniform(1, 30) : machine.uniform(0.97, 1.03);
        cost.observe(step, time(noise * machine.seconds(step)));
    }
    int wrong = 0;
    for (int count = 0; count < 300; ++count) {
        const auto step = machine.any_step();
        const double real = machine.seconds(step);
        wrong += std::abs(cost.seconds(step) - real) > 0.3 * real ? 1 : 0;
    }
    EXPECT_LT(wrong, 30) << "seed " << GetParam();
}

TEST_P(AnyMachine, NeverGivesNonsense) {
    Machine machine(GetParam());
    StepCost cost(32);
    for (int count = 0; count < 2000; ++count) {
        cost.observe(machine.any_step(), time(machine.uniform(0, machine.below(50) == 0 ? 1e4 : 0.1)));
        const double seconds = cost.seconds(machine.any_step());
        ASSERT_TRUE(std::isfinite(seconds) && seconds >= 0) << "seed " << GetParam();
    }
}

INSTANTIATE_TEST_SUITE_P(Seeds, AnyMachine, testing::Range(0U, 50U));

}  // namespace
}  // namespace worker::cost
