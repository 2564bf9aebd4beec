#include "worker/prefix/saved_states.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

namespace worker::prefix {
namespace {

using Tokens = std::vector<Token>;

Tokens counting(std::size_t count, Token first = 0) {
    Tokens tokens(count);
    std::iota(tokens.begin(), tokens.end(), first);
    return tokens;
}

SavedStates::Id saved(SavedStates& states, const Tokens& tokens, std::size_t from, std::string_view salt = "") {
    const auto id = states.add(tokens, salt, from);
    states.store(id, Tier::memory, 10 * (tokens.size() - from));
    return id;
}

TEST(SavedStates, OneBehindTheOtherTheyMakeUpAPrompt) {
    SavedStates states(true);
    const auto head = saved(states, counting(10), 0);
    const auto tail = saved(states, counting(16), 10);
    const auto pieces = states.cover(counting(14), "", 0);
    ASSERT_EQ(pieces.size(), 2U);
    EXPECT_EQ(pieces[0].state, head);
    EXPECT_EQ(pieces[0].to, 10U);
    EXPECT_EQ(pieces[1].state, tail);
    EXPECT_EQ(pieces[1].from, 10U);
    EXPECT_EQ(pieces[1].to, 14U);
    EXPECT_EQ(states.covered(counting(30), "", 12), 16U);
    EXPECT_EQ(states.covered(counting(30), "other", 0), 0U);
}

TEST(SavedStates, ATailWithoutItsBeginningIsOfNoUse) {
    SavedStates states(true);
    const auto head = saved(states, counting(10), 0);
    saved(states, counting(16), 10);
    states.drop(head, Tier::memory);
    EXPECT_TRUE(states.cover(counting(16), "", 0).empty());
    EXPECT_EQ(states.covered(counting(16), "", 10), 16U);
}

TEST(SavedStates, IndivisibleOnesAreUsedWholeOrNotAtAll) {
    SavedStates states(false);
    const auto four = saved(states, counting(4), 0);
    saved(states, counting(9), 0);
    const auto pieces = states.cover(counting(8), "", 0);
    ASSERT_EQ(pieces.size(), 1U);
    EXPECT_EQ(pieces[0].state, four);
    EXPECT_EQ(states.covered(counting(9), "", 0), 9U);
    EXPECT_EQ(states.covered(counting(8), "", 5), 5U);
}

TEST(SavedStates, GiveUpWhatOthersBuildUponLast) {
    SavedStates states(true);
    saved(states, counting(10), 0);
    const auto tail = saved(states, counting(16), 10);
    states.use(tail);
    EXPECT_EQ(states.next_to_go(Tier::memory), tail);
}

TEST(SavedStates, ALongerStateReplacesTheOnesItContains) {
    SavedStates states(true);
    const auto head = saved(states, counting(10), 0);
    const auto tail = saved(states, counting(16), 10);
    const auto all = saved(states, counting(20), 0);
    auto superseded = states.superseded_by(all);
    std::ranges::sort(superseded);
    EXPECT_EQ(superseded, (std::vector{head, tail}));
    EXPECT_TRUE(states.superseded_by(tail).empty());
}

TEST(SavedStates, CountEachTiersBytesAndForgetWhatIsNowhere) {
    SavedStates states(true);
    const auto id = saved(states, counting(10), 0);
    states.store(id, Tier::disk, 77);
    EXPECT_EQ(states.bytes(Tier::memory), 100U);
    EXPECT_EQ(states.bytes(Tier::disk), 77U);
    states.drop(id, Tier::memory);
    EXPECT_EQ(states.covered(counting(10), "", 0), 10U);
    EXPECT_FALSE(states.next_to_go(Tier::memory));
    EXPECT_EQ(states.next_to_go(Tier::disk), id);
    states.drop(id, Tier::disk);
    EXPECT_EQ(states.covered(counting(10), "", 0), 0U);
    EXPECT_EQ(states.bytes(Tier::disk), 0U);
}

// `cover` reaches as far as a search through all states does, whatever was saved and dropped before.
TEST(SavedStates, CoverAsMuchAsTheyCan) {
    for (unsigned seed = 0; seed < 300; ++seed) {
        std::mt19937 random(seed);
        SavedStates states(true);
        struct Known {
            SavedStates::Id id;
            Tokens tokens;
            std::size_t from;
        };
        std::vector<Known> known;
        for (int operation = 0; operation < 30; ++operation) {
            if (!known.empty() && random() % 4 == 0) {
                states.drop(known.back().id, Tier::memory);
                known.pop_back();
                continue;
            }
            Tokens tokens(1 + random() % 8);
            std::ranges::generate(tokens, [&] { return static_cast<Token>(random() % 2); });
            const auto from = random() % tokens.size();
            known.push_back({.id = saved(states, tokens, from), .tokens = tokens, .from = from});
        }
        Tokens prompt(8);
        std::ranges::generate(prompt, [&] { return static_cast<Token>(random() % 2); });
        const std::size_t have = random() % 3;
        std::size_t reach = have;
        for (bool longer = true; longer;) {
            longer = false;
            for (const Known& each : known) {
                const auto common =
                    static_cast<std::size_t>(std::ranges::mismatch(each.tokens, prompt).in1 - each.tokens.begin());
                if (each.from <= reach && common > reach) {
                    reach = common;
                    longer = true;
                }
            }
        }
        ASSERT_EQ(states.covered(prompt, "", have), reach) << "seed " << seed;
    }
}

}  // namespace
}  // namespace worker::prefix
