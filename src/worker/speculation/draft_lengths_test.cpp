#include "worker/speculation/draft_lengths.hpp"

#include <gtest/gtest.h>

#include <numeric>

namespace worker::speculation {
namespace {

using std::chrono::microseconds;

Draft draft(std::size_t tokens, double chance) {
    return {.tokens = std::vector<Token>(tokens), .chances = std::vector<double>(tokens, chance)};
}

cost::StepCost cost_of(std::vector<int> by_tokens) {
    cost::StepCost cost(by_tokens.size());
    for (std::size_t tokens = 1; tokens <= by_tokens.size(); ++tokens) {
        cost.observe({.generating = tokens}, microseconds(by_tokens[tokens - 1]));
    }
    return cost;
}

cost::StepCost flat() {
    return cost_of({100, 101, 102, 103, 104, 105, 106, 107, 108, 109, 110, 111, 112, 113, 114, 115});
}
cost::StepCost steep() {
    return cost_of({100, 200, 300, 400, 500, 600, 700, 800, 900, 1000, 1100, 1200, 1300, 1400, 1500, 1600});
}

std::vector<std::size_t> lengths(std::vector<Draft> drafts, const cost::StepCost& cost, std::size_t answers,
                                 const DraftRoom& room) {
    std::vector<const Draft*> views;
    for (const Draft& each : drafts) {
        views.push_back(&each);
    }
    return draft_lengths(views, {.generating = answers}, room, cost);
}

TEST(DraftLengths, NothingIsDraftedBeforeTheCostIsKnown) {
    EXPECT_EQ(lengths({draft(8, 0.9)}, cost::StepCost(16), 1, {.most = 8})[0], 0U);
}

TEST(DraftLengths, AllOfAGoodDraftWhereTokensAreAlmostFree) {
    EXPECT_EQ(lengths({draft(8, 0.95)}, flat(), 1, {.most = 15})[0], 8U);
}

TEST(DraftLengths, NoneWhereEveryTokenCostsAsMuchAsTheFirst) {
    EXPECT_EQ(lengths({draft(8, 0.95)}, steep(), 1, {.most = 15})[0], 0U);
}

TEST(DraftLengths, NoneOfAPoorDraft) {
    EXPECT_EQ(lengths({draft(8, 0.02)}, flat(), 1, {.most = 15})[0], 0U);
}

TEST(DraftLengths, StepsOverNumbersThatTheKernelsDislike) {
    const auto cost = cost_of({100, 250, 290, 200, 400, 420, 440, 260});
    EXPECT_EQ(lengths({draft(4, 0.9)}, cost, 1, {.most = 7})[0], 3U);
    EXPECT_EQ(lengths({draft(7, 0.95)}, cost, 1, {.most = 7})[0], 7U);
}

TEST(DraftLengths, TheBetterDraftGetsTheLongerLength) {
    const auto got = lengths({draft(8, 0.95), draft(8, 0.5)}, flat(), 2, {.most = 8});
    EXPECT_GT(got[0], got[1]);
    EXPECT_LE(got[0] + got[1], 8U);
}

TEST(DraftLengths, OneAnswersGainIsWeighedAgainstTheOthersLoss) {
    const auto cost = cost_of({100, 110, 120, 130, 140, 150, 160, 170, 200, 220, 240, 260});
    const Draft good = draft(3, 0.9);
    EXPECT_EQ(lengths({good}, cost, 1, {.most = 3})[0], 3U);
    const auto among_many =
        lengths({good, Draft(), Draft(), Draft(), Draft(), Draft(), Draft(), Draft()}, cost, 8, {.most = 3});
    EXPECT_EQ(among_many[0], 0U);
}

TEST(DraftLengths, NoStepBecomesLongerThanItMay) {
    EXPECT_EQ(lengths({draft(12, 0.99)}, flat(), 1, {.most = 15, .longest_seconds = 104.5e-6})[0], 4U);
}

}  // namespace
}  // namespace worker::speculation
