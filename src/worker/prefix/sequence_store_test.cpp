#include "worker/prefix/sequence_store.hpp"

#include <gtest/gtest.h>

namespace worker::prefix {
namespace {

using Tokens = std::vector<Token>;

std::size_t everything(std::size_t /*sequence*/, std::size_t tokens) {
    return tokens;
}

std::size_t nothing_saved(std::size_t /*sequence*/) {
    return 0;
}

void fill(SequenceStore& store, std::size_t sequence, const Tokens& tokens, std::string_view salt = "") {
    store.take(sequence, salt);
    store.append(sequence, tokens);
    store.release(sequence);
}

TEST(SequenceStore, FindsTheLongestPrefixInBusyAndIdleSequences) {
    SequenceStore store(4, 100);
    fill(store, 0, {1, 2, 3});
    store.take(1, "");
    store.append(1, Tokens{1, 2, 3, 4, 9});
    const auto match = store.longest_match(Tokens{1, 2, 3, 4, 5}, "", everything);
    ASSERT_TRUE(match);
    EXPECT_EQ(match->sequence, 1U);
    EXPECT_EQ(match->tokens, 4U);
}

TEST(SequenceStore, PrefersAnIdleSequenceOnATie) {
    SequenceStore store(2, 100);
    store.take(0, "");
    store.append(0, Tokens{1, 2});
    fill(store, 1, {1, 2, 7});
    EXPECT_EQ(store.longest_match(Tokens{1, 2, 3}, "", everything)->sequence, 1U);
}

TEST(SequenceStore, NeverMatchesAcrossSalts) {
    SequenceStore store(2, 100);
    fill(store, 0, {1, 2, 3}, "alice");
    EXPECT_FALSE(store.longest_match(Tokens{1, 2, 3}, "bob", everything));
    EXPECT_TRUE(store.longest_match(Tokens{1, 2, 3}, "alice", everything));
}

TEST(SequenceStore, MatchesWhatIsPinnedUnlessTheSaltIsApart) {
    SequenceStore store(2, 100);
    store.take(0, SequenceStore::pinned_salt);
    store.append(0, Tokens{1, 2, 3});
    store.pin(0);
    EXPECT_TRUE(store.longest_match(Tokens{1, 2, 3}, "alice", everything));
    EXPECT_FALSE(store.longest_match(Tokens{1, 2, 3}, std::string(SequenceStore::apart) + "alice", everything));
}

TEST(SequenceStore, FallsBackWhenTheEngineCannotReuseTheLongest) {
    SequenceStore store(2, 100);
    fill(store, 0, {1, 2, 3, 4});
    fill(store, 1, {1, 2});
    const auto not_the_first = [](std::size_t sequence, std::size_t tokens) { return sequence == 0 ? 0 : tokens; };
    const auto match = store.longest_match(Tokens{1, 2, 3, 5}, "", not_the_first);
    ASSERT_TRUE(match);
    EXPECT_EQ(match->sequence, 1U);
    EXPECT_EQ(match->tokens, 2U);
}

TEST(SequenceStore, PlacesIntoEmptySequencesFirstThenWhereLeastIsLost) {
    SequenceStore store(3, 100);
    fill(store, 1, {1});
    fill(store, 0, {2});
    EXPECT_EQ(store.place(std::nullopt, nothing_saved), 2U);
    fill(store, 2, {3});
    EXPECT_EQ(store.place(std::nullopt, nothing_saved), 1U);
    EXPECT_EQ(store.place(1, nothing_saved), 0U);
}

TEST(SequenceStore, GivesUpTheKeptSequenceOnlyWhenThereIsNoOther) {
    SequenceStore store(2, 100);
    fill(store, 0, {1});
    store.take(1, "");
    EXPECT_EQ(store.place(0, nothing_saved), 0U);
    store.take(0, "");
    EXPECT_FALSE(store.place(0, nothing_saved));
}

TEST(SequenceStore, KnowsWhatCouldBeHeldIfIdleSequencesWereGivenUp) {
    SequenceStore store(4, 10);
    fill(store, 0, {1, 2, 3, 4, 5});
    store.take(1, "");
    store.append(1, Tokens{7, 8, 9, 10});
    EXPECT_EQ(store.free_cells(), 1U);
    EXPECT_TRUE(store.could_hold(5, std::nullopt, 0));
    EXPECT_FALSE(store.could_hold(6, std::nullopt, 0));
    EXPECT_FALSE(store.could_hold(5, std::nullopt, 1));
    // Four of its tokens are in a busy sequence already.
    EXPECT_TRUE(store.could_hold(9, Match{.sequence = 1, .tokens = 4}, 0));
    // Those of an idle one would have to be kept.
    EXPECT_FALSE(store.could_hold(6, Match{.sequence = 0, .tokens = 5}, 0));
}

TEST(SequenceStore, AmongEqualsTheOneUsedLongestAgoIsTheFirstToGo) {
    SequenceStore store(3, 100);
    fill(store, 0, {1, 2});
    fill(store, 1, {2, 3});
    const auto cut = store.cheapest_cut(1, true, nothing_saved);
    ASSERT_TRUE(cut);
    EXPECT_EQ(cut->sequence, 0U);
    EXPECT_EQ(cut->tokens, 0U);
}

TEST(SequenceStore, KeepsWhatIsUsedOften) {
    SequenceStore store(4, 100);
    fill(store, 0, {1, 2});
    store.take(2, "");
    store.copy(0, 2, 2);
    store.trim(2, 0);
    store.release(2);
    fill(store, 1, {2, 3});
    EXPECT_EQ(store.cheapest_cut(1, true, nothing_saved)->sequence, 1U);
}

TEST(SequenceStore, CutsOnlyAsMuchOfATailAsIsNeeded) {
    SequenceStore store(2, 1000);
    fill(store, 0, Tokens(500, 7));
    const auto cut = store.cheapest_cut(100, true, nothing_saved);
    ASSERT_TRUE(cut);
    EXPECT_EQ(cut->tokens, 400U);
    EXPECT_EQ(store.cheapest_cut(100, false, nothing_saved)->tokens, 0U);
    EXPECT_EQ(store.cheapest_cut(490, true, nothing_saved)->tokens, 0U) << "a rest of ten tokens is not worth keeping";
}

TEST(SequenceStore, WhatOthersShareFreesNothingAndIsLeftAlone) {
    SequenceStore store(3, 1000);
    fill(store, 0, Tokens(300, 7));
    store.take(1, "");
    store.copy(0, 1, 300);
    store.append(1, Tokens(200, 8));
    EXPECT_EQ(store.cheapest_cut(100, true, nothing_saved)->tokens, 0U) << "none frees cells, so the idle one goes";
    fill(store, 2, Tokens(50, 9));
    EXPECT_EQ(store.cheapest_cut(100, true, nothing_saved)->sequence, 2U);
    store.trim(2, 0);
    store.release(1);
    const auto cut = store.cheapest_cut(150, true, nothing_saved);
    EXPECT_EQ(cut->sequence, 1U);
    EXPECT_EQ(cut->tokens, 300U) << "the tail of its own, not what sequence 0 has too";
}

TEST(SequenceStore, WhatIsSavedElsewhereGoesFirst) {
    SequenceStore store(2, 1000);
    fill(store, 0, Tokens(100, 7));
    fill(store, 1, Tokens(100, 8));
    const auto second_is_saved = [](std::size_t sequence) { return sequence == 1 ? std::size_t{100} : 0; };
    EXPECT_EQ(store.cheapest_cut(10, true, second_is_saved)->sequence, 1U);
}

TEST(SequenceStore, NeverGivesUpWhatIsPinned) {
    SequenceStore store(2, 100);
    store.take(0, SequenceStore::pinned_salt);
    store.append(0, Tokens(40, 7));
    store.pin(0);
    EXPECT_EQ(store.pinned_cells(), 40U);
    EXPECT_FALSE(store.cheapest_cut(10, true, nothing_saved));
    EXPECT_FALSE(store.could_hold(60, std::nullopt, 0));
    EXPECT_TRUE(store.could_hold(60, Match{.sequence = 0, .tokens = 30}, 0));
}

TEST(SequenceStore, WhatIsPinnedServesEverySaltButWhatFollowsItIsOnesOwn) {
    SequenceStore store(3, 100);
    store.take(0, SequenceStore::pinned_salt);
    store.append(0, Tokens(10, 7));
    store.pin(0);
    EXPECT_EQ(store.longest_match(Tokens(12, 7), "alice", everything)->tokens, 10U);
    store.take(1, "alice");
    store.copy(0, 1, 10);
    store.append(1, Tokens{1, 2, 3});
    Tokens prompt(10, 7);
    prompt.insert(prompt.end(), {1, 2, 3});
    EXPECT_EQ(store.longest_match(prompt, "alice", everything)->tokens, 13U);
    EXPECT_EQ(store.longest_match(prompt, "bob", everything)->tokens, 10U);
    EXPECT_EQ(store.longest_match(prompt, "bob", everything)->sequence, 0U);
}

}  // namespace
}  // namespace worker::prefix
