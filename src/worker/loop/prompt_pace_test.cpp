#include "worker/loop/prompt_pace.hpp"

#include <gtest/gtest.h>

#include <random>

namespace worker::loop {
namespace {

using std::chrono::duration_cast;
using std::chrono::milliseconds;

/// A machine whose steps cost what the model says, or whatever a test makes of that.
struct Machine {
    double alone = 0.020;          // one generating slot
    double each = 0.001;           // a token, generating or not
    double growth = 0.001 / 4096;  // more for each position

    double seconds(const StepShape& step) const {
        return (step.generating == 0 ? 0.01 : alone + each * static_cast<double>(step.generating - 1)) +
               static_cast<double>(step.prompt_tokens) * (each + growth * static_cast<double>(step.position));
    }
    base::Duration time(const StepShape& step, double times = 1) const {
        return duration_cast<base::Duration>(std::chrono::duration<double>(times * seconds(step)));
    }
};

/// A pace and what it learns from.
struct Learning {
    Learning(std::size_t batch, GapTarget target) : pace(cost, batch, target) {}

    void observe(const StepShape& step, base::Duration took) {
        cost.observe(step, took);
        pace.observe(step);
    }
    std::size_t tokens(std::size_t generating, std::size_t position,
                       Streams streams = Streams::older_than_the_prompts) const {
        return pace.tokens({.generating = generating}, position, streams);
    }
    std::size_t tokens_within(base::Duration time, std::size_t position) const {
        return pace.tokens_within(time, position);
    }

    cost::StepCost cost{64};
    PromptPace pace;
};

void generate_alone(Learning& pace, const Machine& machine, std::size_t generating, int steps = 5) {
    for (int step = 0; step < steps; ++step) {
        pace.observe({.generating = generating}, machine.time({.generating = generating}));
    }
}

/// One step with as many prompt tokens as the pace allows; its length as a multiple of generation alone.
double ride(Learning& pace, const Machine& machine, std::size_t generating, std::size_t& position, double times = 1) {
    const StepShape shape{
        .generating = generating, .prompt_tokens = pace.tokens(generating, position), .position = position};
    pace.observe(shape, machine.time(shape, times));
    position += shape.prompt_tokens;
    return machine.seconds(shape) / machine.seconds({.generating = generating});
}

TEST(PromptPace, KeepsStepsWithinTheRatioFromTheFirstOneToTheEndOfALongPrompt) {
    const Machine machine;
    Learning pace(512, {.ratio = 3});
    // The streams' own prompts, read while nothing generated, have taught what a prompt token costs.
    pace.observe({.prompt_tokens = 200, .position = 100}, machine.time({.prompt_tokens = 200, .position = 100}));
    generate_alone(pace, machine, 2);
    std::size_t position = 0;
    int steps = 0;
    while (position < 8000) {
        EXPECT_LE(ride(pace, machine, 2, position), 3.05) << "at position " << position;
        ASSERT_LT(++steps, 1000);
    }
    EXPECT_GT(ride(pace, machine, 2, position), 2.7) << "the budget is used";
}

TEST(PromptPace, APromptThatBeginsAfterALongOneIsNotJudgedByItsEnd) {
    const Machine machine;
    Learning pace(512, {.ratio = 3});
    generate_alone(pace, machine, 2);
    std::size_t position = 0;
    while (position < 8000) {
        ride(pace, machine, 2, position);
    }
    position = 0;
    EXPECT_GT(ride(pace, machine, 2, position), 2.0);
}

TEST(PromptPace, OneStepFromWhichTimeWasStolenChangesNothing) {
    const Machine machine;
    Learning pace(512, {.ratio = 3});
    generate_alone(pace, machine, 1);
    std::size_t position = 0;
    for (int step = 0; step < 20; ++step) {
        ride(pace, machine, 1, position);
    }
    const auto before = pace.tokens(1, position);
    ride(pace, machine, 1, position, 30);
    EXPECT_GE(pace.tokens(1, position) + 4, before);
    generate_alone(pace, machine, 1, 4);
    pace.observe({.generating = 1}, machine.time({.generating = 1}, 30));
    EXPECT_LE(pace.tokens(1, position), before + 4);
}

TEST(PromptPace, FollowsAMachineThatBecomesSlower) {
    Machine machine;
    Learning pace(512, {.ratio = 3});
    generate_alone(pace, machine, 1);
    std::size_t position = 0;
    for (int step = 0; step < 20; ++step) {
        ride(pace, machine, 1, position);
    }
    machine.each *= 2;
    for (int step = 0; step < 20; ++step) {
        ride(pace, machine, 1, position);
    }
    EXPECT_LT(ride(pace, machine, 1, position), 3.2);
}

TEST(PromptPace, AnAbsoluteTargetAllowsMoreThanTheRatio) {
    const Machine machine;
    Learning pace(512, {.ratio = 2, .gap = milliseconds(220)});
    generate_alone(pace, machine, 1);
    std::size_t position = 0;
    for (int step = 0; step < 5; ++step) {
        ride(pace, machine, 1, position);
    }
    EXPECT_NEAR(static_cast<double>(pace.tokens(1, 0)), 200, 20);
}

TEST(PromptPace, StreamsOfTheSameBurstWaitLongerForTheOthersPrompts) {
    const Machine machine;
    Learning pace(512, {.ratio = 2});
    generate_alone(pace, machine, 1);
    std::size_t position = 0;
    for (int step = 0; step < 5; ++step) {
        ride(pace, machine, 1, position);
    }
    const auto strict = pace.tokens(1, 0);
    EXPECT_GT(pace.tokens(1, 0, Streams::of_the_same_burst), 5 * strict);
}

TEST(PromptPace, FirstLooksHowLongGenerationTakesAlone) {
    Learning pace(512, {});
    EXPECT_EQ(pace.tokens(1, 0), 0U);
    generate_alone(pace, Machine{}, 1, 1);
    EXPECT_EQ(pace.tokens(1, 0), 7U) << "what a prompt token costs is not known yet";
}

TEST(PromptPace, TheFewestTokensFillTheTileThatTheStreamsBegan) {
    Learning pace(512, {.ratio = 1.1});
    generate_alone(pace, Machine{}, 1);
    for (std::size_t generating = 1; generating <= 9; ++generating) {
        const auto tokens = pace.tokens(generating, 0);
        EXPECT_EQ((generating + tokens) % 4, 0U) << generating;
        EXPECT_GE(tokens, 4U);
        EXPECT_LE(tokens, 7U);
    }
}

TEST(PromptPace, StepsWithGuessesAreEnoughToBegin) {
    Learning pace(512, {});
    pace.observe({.generating = 1, .drafted = 4}, milliseconds(30));
    EXPECT_EQ(pace.tokens(1, 0), 7U);
}

TEST(PromptPace, LooksAgainNowAndThen) {
    const Machine machine;
    Learning pace(512, {});
    generate_alone(pace, machine, 1);
    int looks = 0;
    for (int step = 0; step < 1000; ++step) {
        const StepShape shape{.generating = 1, .prompt_tokens = pace.tokens(1, 100), .position = 100};
        looks += shape.prompt_tokens == 0 ? 1 : 0;
        pace.observe(shape, machine.time(shape));
    }
    EXPECT_GE(looks, 4);
    EXPECT_LE(looks, 5);
}

TEST(PromptPace, AnUnknownNumberOfStreamsIsEstimatedFromKnownOnes) {
    const Machine machine;
    Learning pace(512, {.ratio = 3});
    generate_alone(pace, machine, 1);
    std::size_t position = 0;
    for (int step = 0; step < 5; ++step) {
        ride(pace, machine, 1, position);
    }
    position = 0;
    EXPECT_NEAR(ride(pace, machine, 8, position), 3.0, 0.5);
}

TEST(PromptPace, NeverStopsPromptsAndNeverExceedsTheBatch) {
    Machine slow{.alone = 0.001, .each = 0.15};
    Learning few(512, {});
    generate_alone(few, slow, 1);
    std::size_t position = 0;
    ride(few, slow, 1, position);
    EXPECT_EQ(few.tokens(1, 0), 7U);
    Learning many(512, {});
    generate_alone(many, Machine{.alone = 10}, 1);
    for (int step = 0; step < 5; ++step) {
        many.observe({.generating = 1, .prompt_tokens = 8}, milliseconds(10'001));
    }
    EXPECT_EQ(many.tokens(1, 0), 512U);
}

TEST(PromptPace, KnowsHowMuchFitsIntoATime) {
    Learning pace(512, {});
    EXPECT_EQ(pace.tokens_within(milliseconds(300), 0), 512U);
    for (int step = 0; step < 5; ++step) {
        pace.observe({.prompt_tokens = 512}, milliseconds(512));
    }
    EXPECT_EQ(pace.tokens_within(milliseconds(300), 0), 300U);
    EXPECT_EQ(pace.tokens_within(milliseconds(10), 0), 128U);
    EXPECT_EQ(pace.tokens_within(milliseconds(10'000), 0), 512U);
}

TEST(PromptPace, TotalsAreWholeTiles) {
    std::mt19937 random(5);
    for (int round = 0; round < 200; ++round) {
        Machine machine{.alone = 0.001 + 0.0001 * static_cast<double>(random() % 500),
                        .each = 0.0001 + 0.00001 * static_cast<double>(random() % 300)};
        Learning pace(512, {.ratio = 2 + static_cast<double>(random() % 3)});
        const std::size_t generating = 1 + random() % 9;
        generate_alone(pace, machine, generating);
        std::size_t position = random() % 3000;
        for (int step = 0; step < 30; ++step) {
            ride(pace, machine, generating, position);
            const auto tokens = pace.tokens(generating, position);
            EXPECT_TRUE(tokens == 8 || tokens == 512 || (tokens + generating) % 4 == 0) << tokens;
        }
    }
}

}  // namespace
}  // namespace worker::loop
