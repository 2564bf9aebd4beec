#include "worker/loop/plan.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <random>

namespace worker::loop {
namespace {

using Numbers = std::vector<std::size_t>;
using std::chrono::milliseconds;

TEST(PlanStep, GeneratingSlotsComeFirst) {
    EXPECT_EQ(plan_step(Numbers{100, 1, 1}, {.batch = 32, .prompt_beside_generation = 16}), (Numbers{16, 1, 1}));
}

TEST(PlanStep, PromptsAloneFillTheBatch) {
    EXPECT_EQ(plan_step(Numbers{20, 100}, {.batch = 32, .prompt_beside_generation = 16}), (Numbers{20, 12}));
}

TEST(PlanStep, EarlierPromptsFinishFirst) {
    EXPECT_EQ(plan_step(Numbers{100, 1, 50}, {.batch = 64, .prompt_beside_generation = 20}), (Numbers{20, 1, 0}));
    EXPECT_EQ(plan_step(Numbers{5, 1, 50}, {.batch = 64, .prompt_beside_generation = 20}), (Numbers{5, 1, 15}));
}

TEST(PlanStep, NobodyGetsMoreThanIsPendingAndTheBatchNeverOverflows) {
    std::mt19937 random(3);
    for (int round = 0; round < 5000; ++round) {
        Numbers pending(1 + random() % 12);
        for (auto& each : pending) {
            each = random() % 3 == 0 ? 1 : random() % 60;
        }
        const StepBudget budget{.batch = 12 + random() % 40, .prompt_beside_generation = 1 + random() % 30};
        const auto plan = plan_step(pending, budget);
        std::size_t total = 0;
        bool something = false;
        for (std::size_t slot = 0; slot < pending.size(); ++slot) {
            EXPECT_LE(plan[slot], pending[slot]);
            EXPECT_TRUE(pending[slot] != 1 || plan[slot] == 1);
            total += plan[slot];
            something = something || pending[slot] > 0;
        }
        EXPECT_LE(total, budget.batch);
        EXPECT_EQ(total > 0, something);
    }
}

TEST(PromptPace, KeepsStepsWithinAFewTimesTheLengthOfGenerationAlone) {
    PromptPace pace(512);
    for (int step = 0; step < 50; ++step) {
        pace.observe(2, 0, milliseconds(20));
        pace.observe(2, 64, milliseconds(84));
    }
    // A prompt token costs 1 ms; half again as long as generation leaves room for 30.
    EXPECT_NEAR(static_cast<double>(pace.tokens()), 30, 1);
}

TEST(PromptPace, NeverStopsPromptsAndNeverExceedsTheBatch) {
    PromptPace slow(512);
    slow.observe(1, 0, milliseconds(1));
    slow.observe(1, 64, milliseconds(10'000));
    EXPECT_EQ(slow.tokens(), 16U);
    PromptPace fast(512);
    fast.observe(1, 0, milliseconds(100));
    fast.observe(1, 64, milliseconds(100));
    EXPECT_EQ(fast.tokens(), 512U);
}

TEST(PromptPace, StepsOfPromptsAloneTeachNothing) {
    PromptPace pace(512);
    const auto before = pace.tokens();
    pace.observe(0, 512, milliseconds(500));
    EXPECT_EQ(pace.tokens(), before);
}

}  // namespace
}  // namespace worker::loop
