// Whole jobs on a scripted engine: what becomes of memory when there is not enough of it.

#include <gtest/gtest.h>

#include "worker/loop/loop_fixture.hpp"

namespace worker::loop {
namespace {

const std::string system_prompt =
    "a system prompt of a hundred characters or so, that every conversation of one kind shares: ";

engine::scripted::Settings small_cells(std::size_t cells) {
    return {
        .limits =
            {.context_tokens = 256, .cells = cells, .sequences = 8, .slots = 4, .batch_tokens = 64, .restore_cells = 4},
        .end_every = 0};
}

std::string answer_to(const std::string& prompt, std::size_t most) {
    return text_of(engine::scripted::expected_answer(tokens_of(prompt), 0, most, 0));
}

/// Runs one request; how many of its prompt tokens were cached.
std::uint32_t cached_tokens(Bench& bench, const std::string& prompt, std::string salt = "") {
    const auto sink = bench.add({.id = prompt, .prompt = prompt, .max_tokens = 8, .salt = std::move(salt)});
    EXPECT_GT(bench.run(), 0);
    EXPECT_TRUE(sink->finished());
    EXPECT_EQ(sink->text[0], answer_to(prompt, 8));
    EXPECT_EQ(bench.engine.complaint(), "");
    return sink->last()->finished().usage().cached_tokens();
}

TEST(MemoryOfJobs, PromptsXYXReuseX) {
    Bench bench(small_cells(1024));
    cached_tokens(bench, system_prompt + "question one");
    cached_tokens(bench, "something else altogether, that has nothing to do with it");
    EXPECT_EQ(cached_tokens(bench, system_prompt + "Question two"), system_prompt.size());
}

TEST(MemoryOfJobs, WhatHadToLeaveTheCellsComesBackFromMemory) {
    Bench bench(small_cells(256), {.archive = {.memory_bytes = 1 << 20}});
    const std::string one = std::string(150, 'x') + " first";
    const std::string two = std::string(150, 'y') + " second";
    cached_tokens(bench, one);
    cached_tokens(bench, two);
    const std::string later = one + answer_to(one, 8) + " and then?";
    EXPECT_GE(cached_tokens(bench, later), one.size() + 7);
    const auto statistics = bench.loop.statistics();
    EXPECT_GT(statistics.prompt_tokens_from_memory(), 0U);
    EXPECT_EQ(bench.engine.restored_tokens(), statistics.prompt_tokens_from_memory());
    EXPECT_GT(statistics.kv_tokens_evicted(), 0U);
    EXPECT_GT(statistics.saved_memory_bytes(), 0U);
    EXPECT_LE(statistics.saved_memory_bytes(), statistics.saved_memory_limit_bytes());
}

TEST(MemoryOfJobs, AConversationThatGrewIsSavedOnlyInItsNewPart) {
    Bench bench(small_cells(256), {.archive = {.memory_bytes = 1 << 20}});
    const std::string one = std::string(100, 'x') + " first turn of a conversation";
    const std::string filler = std::string(200, 'y');
    cached_tokens(bench, one);
    cached_tokens(bench, filler);
    const auto saved_once = bench.loop.statistics().saved_memory_bytes();
    const std::string later = one + answer_to(one, 8) + " and a second turn, not very long";
    cached_tokens(bench, later);
    cached_tokens(bench, filler);
    const auto& statistics = bench.loop.statistics();
    EXPECT_LT(statistics.saved_memory_bytes(), saved_once + 4 * (filler.size() + 8 + 60));
    EXPECT_GE(cached_tokens(bench, later + "?"), later.size());
}

TEST(MemoryOfJobs, WithoutMemoryBesideTheCellsItIsEvaluatedAgain) {
    Bench bench(small_cells(256));
    const std::string one = std::string(150, 'x') + " first";
    cached_tokens(bench, one);
    cached_tokens(bench, std::string(230, 'y'));
    EXPECT_LT(cached_tokens(bench, one + "?"), one.size());
    EXPECT_EQ(bench.loop.statistics().prompt_tokens_from_memory(), 0U);
}

TEST(MemoryOfJobs, SavedStatesAreNeverSharedAcrossSalts) {
    Bench bench(small_cells(256), {.archive = {.memory_bytes = 1 << 20}});
    const std::string one = std::string(150, 'x') + " first";
    cached_tokens(bench, one, "alice");
    cached_tokens(bench, std::string(240, 'y'), "carol");
    EXPECT_EQ(cached_tokens(bench, one, "bob"), 0U);
    EXPECT_GT(cached_tokens(bench, one, "alice"), 0U);
}

TEST(MemoryOfJobs, ARunningStateComesBackWhole) {
    auto settings = small_cells(256);
    settings.can_go_back = false;
    settings.limits.sequences = 2;
    Bench bench(std::move(settings), {.archive = {.memory_bytes = 1 << 20}});
    const std::string one = "a conversation with a model that cannot go back.";
    cached_tokens(bench, one);
    cached_tokens(bench, "another one, of about the same length, or so");
    cached_tokens(bench, "and a third one, of about the same length, or so");
    EXPECT_EQ(cached_tokens(bench, one + answer_to(one, 8) + " and then?"), one.size() + 7);
}

TEST(MemoryOfJobs, AnswersThatGaveUpTheirCellsGoOnWhereTheyWere) {
    Bench bench(small_cells(256), {.archive = {.memory_bytes = 1 << 20}});
    std::vector<std::pair<std::string, std::shared_ptr<RecordingSink>>> jobs;
    for (const char letter : {'p', 'q', 'r'}) {
        const std::string prompt(50, letter);
        jobs.emplace_back(prompt, bench.add({.id = prompt, .prompt = prompt, .max_tokens = 120}));
    }
    ASSERT_GT(bench.run(), 0);
    for (auto& [prompt, sink] : jobs) {
        EXPECT_EQ(sink->text[0], answer_to(prompt, 120));
    }
    EXPECT_GT(bench.loop.statistics().preemptions(), 0U);
    // Nothing was evaluated twice but the little that is not worth saving.
    EXPECT_LT(bench.engine.evaluated_tokens(), 3 * (50 + 120) + 16 * bench.loop.statistics().preemptions());
}

// BEHAVIOURS 27, in small: prompts of half the cells, one after another.
TEST(MemoryOfJobs, FiveHundredLargePromptsInAFewCellsAndBoundedMemory) {
    Bench bench(small_cells(256), {.archive = {.memory_bytes = 4096}});
    for (int number = 0; number < 500; ++number) {
        cached_tokens(bench, std::to_string(number) + std::string(120, 'z'));
        ASSERT_LE(bench.loop.statistics().saved_memory_bytes(), 4096U);
    }
    EXPECT_LE(bench.loop.statistics().kv_cells_used(), 256U);
}

}  // namespace
}  // namespace worker::loop
