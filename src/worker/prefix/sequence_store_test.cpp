#include "worker/prefix/sequence_store.hpp"

#include <gtest/gtest.h>

namespace worker::prefix {
namespace {

using Tokens = std::vector<Token>;

std::size_t everything(std::size_t /*sequence*/, std::size_t tokens) {
    return tokens;
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

TEST(SequenceStore, PlacesIntoEmptySequencesFirstThenIntoTheOldestIdle) {
    SequenceStore store(3, 100);
    fill(store, 1, {1});
    fill(store, 0, {2});
    EXPECT_EQ(store.place(std::nullopt), 2U);
    fill(store, 2, {3});
    EXPECT_EQ(store.place(std::nullopt), 1U);
    EXPECT_EQ(store.place(1), 0U);
}

TEST(SequenceStore, GivesUpTheKeptSequenceOnlyWhenThereIsNoOther) {
    SequenceStore store(2, 100);
    fill(store, 0, {1});
    store.take(1, "");
    EXPECT_EQ(store.place(0), 0U);
    store.take(0, "");
    EXPECT_FALSE(store.place(0));
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

TEST(SequenceStore, TheOldestIdleSequenceIsTheFirstToGo) {
    SequenceStore store(3, 100);
    fill(store, 0, {1});
    fill(store, 1, {2});
    EXPECT_EQ(store.oldest_idle(), 0U);
    store.copy(0, 2, 1);
    EXPECT_EQ(store.oldest_idle(), 2U);
    store.trim(2, 0);
    EXPECT_EQ(store.oldest_idle(), 1U);
}

}  // namespace
}  // namespace worker::prefix
