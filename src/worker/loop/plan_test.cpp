#include "worker/loop/plan.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <random>

namespace worker::loop {
namespace {

using Numbers = std::vector<std::size_t>;

Need prompt(std::size_t tokens, std::int32_t priority = 0) {
    return {.pending = tokens, .priority = priority};
}

const Need stream{.pending = 1, .generating = true};

struct Case {
    const char* what;
    std::vector<Need> needs;
    StepBudget budget;
    Numbers plan;
};

TEST(PlanStep, Table) {
    const StepBudget beside{.batch = 64, .prompt_beside_generation = 20};
    const Case cases[] = {
        {"generating slots come first", {prompt(100), stream, stream}, {32, 16}, {16, 1, 1}},
        {"a draft is evaluated whole", {prompt(100), {.pending = 5, .generating = true}}, {8, 20}, {3, 5}},
        {"prompts alone fill the batch", {prompt(20), prompt(100)}, {32, 16}, {20, 12}},
        {"an only prompt has it all", {prompt(6000), stream}, beside, {20, 1}},
        {"a short prompt overtakes a long one", {prompt(6000), stream, prompt(30)}, beside, {5, 1, 15}},
        {"what it leaves is the long one's", {prompt(6000), stream, prompt(10)}, beside, {10, 1, 10}},
        {"the shortest goes first", {prompt(6000), stream, prompt(30), prompt(10)}, beside, {5, 1, 5, 10}},
        {"also the oldest can be the shortest", {prompt(8), stream, prompt(30)}, beside, {8, 1, 12}},
        {"among equals the older", {prompt(30), stream, prompt(30)}, beside, {20, 1, 0}},
        {"priority beats length", {stream, prompt(30), prompt(6000, 1), prompt(10)}, beside, {1, 5, 15, 0}},
        {"a share of one token is one", {prompt(6000), stream, prompt(30)}, {64, 2}, {1, 1, 1}},
        {"no room for prompts", {prompt(100), stream}, {64, 0}, {0, 1}},
        {"nobody needs anything", {prompt(0)}, beside, {0}},
        {"nobody is there", {}, beside, {}},
    };
    for (const Case& each : cases) {
        EXPECT_EQ(plan_step(each.needs, each.budget), each.plan) << each.what;
    }
}

TEST(PlanStep, NobodyGetsMoreThanIsPendingAndTheBatchNeverOverflows) {
    std::mt19937 random(3);
    for (int round = 0; round < 5000; ++round) {
        std::vector<Need> needs(1 + random() % 12);
        for (Need& each : needs) {
            each = random() % 3 == 0 ? stream : prompt(random() % 60, static_cast<std::int32_t>(random() % 3) - 1);
        }
        const StepBudget budget{.batch = 12 + random() % 40, .prompt_beside_generation = 1 + random() % 30};
        const auto plan = plan_step(needs, budget);
        const auto total = std::accumulate(plan.begin(), plan.end(), std::size_t{0});
        bool something = false;
        for (std::size_t slot = 0; slot < needs.size(); ++slot) {
            EXPECT_LE(plan[slot], needs[slot].pending);
            EXPECT_TRUE(!needs[slot].generating || plan[slot] == 1);
            something = something || needs[slot].pending > 0;
        }
        EXPECT_LE(total, budget.batch);
        EXPECT_EQ(total > 0, something);
    }
}

// However many shorter and more urgent prompts keep coming, every prompt ends within four times its own length.
TEST(PlanStep, NoPromptStarves) {
    std::mt19937 random(11);
    for (int round = 0; round < 50; ++round) {
        std::vector<Need> needs{prompt(400 + random() % 2000, -1), stream};
        const std::size_t budget = 8 + random() % 40;
        const auto bound = 4 * (needs[0].pending / budget + 1);
        for (std::size_t step = 0; step < bound && needs[0].pending > 0; ++step) {
            while (needs.size() < 6) {
                needs.push_back(prompt(2 + random() % 100, static_cast<std::int32_t>(random() % 3)));
            }
            const auto plan = plan_step(needs, {.batch = 64, .prompt_beside_generation = budget});
            for (std::size_t slot = 0; slot < needs.size(); ++slot) {
                needs[slot].pending -= needs[slot].generating ? 0 : plan[slot];
            }
            std::erase_if(needs, [&](const Need& each) { return &each != &needs[0] && each.pending == 0; });
        }
        EXPECT_EQ(needs[0].pending, 0U);
    }
}

TEST(FirstPrompt, IsTheShortestOfTheMostUrgent) {
    EXPECT_EQ(first_prompt(std::vector<Need>{stream, prompt(50), prompt(20)}), 2U);
    EXPECT_EQ(first_prompt(std::vector<Need>{stream, prompt(50, 1), prompt(20)}), 1U);
    EXPECT_EQ(first_prompt(std::vector<Need>{stream, stream}), 2U);
}

}  // namespace
}  // namespace worker::loop
