#include "worker/prefix/prefix_tree.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace worker::prefix {
namespace {

using Tokens = std::vector<Token>;

/// How many tokens of `prompt` each of the first `count` holders has in common with it.
std::vector<std::size_t> depths(const PrefixTree& tree, const Tokens& prompt, std::string_view salt,
                                std::size_t count) {
    std::vector<std::size_t> depths(count);
    for (const auto& step : tree.walk(prompt, salt)) {
        for (const Holder holder : step.holders) {
            depths[holder] = step.tokens;
        }
    }
    return depths;
}

TEST(PrefixTree, KnowsHowFarEachHolderGoesAlongAPrompt) {
    PrefixTree tree;
    tree.extend(0, Tokens{1, 2, 3, 4}, "");
    tree.extend(1, Tokens{1, 2, 9}, "");
    tree.extend(2, Tokens{1, 2, 3, 4, 5, 6}, "other");
    EXPECT_EQ(depths(tree, {1, 2, 3, 7}, "", 3), (std::vector<std::size_t>{3, 2, 0}));
    EXPECT_EQ(depths(tree, {1, 2, 3, 4, 5}, "other", 3), (std::vector<std::size_t>{0, 0, 5}));
    EXPECT_TRUE(tree.walk(Tokens{8}, "").empty());
}

TEST(PrefixTree, WhatBeginsAlikeIsOnePath) {
    PrefixTree tree;
    tree.extend(0, Tokens{1, 2, 3}, "");
    EXPECT_EQ(tree.nodes(), 1U);
    tree.follow(1, 0, 2);
    EXPECT_EQ(tree.nodes(), 2U);
    tree.extend(1, Tokens{3}, "");
    EXPECT_EQ(tree.nodes(), 1U);
    EXPECT_EQ(tree.tokens(1), (Tokens{1, 2, 3}));
    tree.trim(0, 0);
    EXPECT_EQ(tree.length(0), 0U);
    EXPECT_EQ(tree.length(1), 3U);
    tree.trim(1, 0);
    EXPECT_EQ(tree.nodes(), 0U);
}

// What the tree is for, without the tree.
struct Naive {
    Tokens tokens;
    std::string salt;
};

class RandomTrees : public testing::TestWithParam<unsigned> {};

TEST_P(RandomTrees, AgreeWithPlainLists) {
    std::mt19937 random(GetParam());
    const auto below = [&](std::size_t limit) { return static_cast<std::size_t>(random() % limit); };
    const auto some_tokens = [&](std::size_t most) {
        Tokens tokens(below(most + 1));
        std::ranges::generate(tokens, [&] { return static_cast<Token>(below(2)); });
        return tokens;
    };
    const std::size_t count = 2 + below(8);
    PrefixTree tree;
    std::vector<Naive> naive(count);
    for (int operation = 0; operation < 400; ++operation) {
        const auto chosen = below(count);
        const auto holder = static_cast<Holder>(chosen);
        Naive& its = naive[chosen];
        switch (below(4)) {
            case 0: {
                if (its.tokens.empty()) {
                    its.salt = below(4) == 0 ? "salt" : "";
                }
                const auto more = some_tokens(below(5) == 0 ? 12 : 1);
                tree.extend(holder, more, its.salt);
                its.tokens.insert(its.tokens.end(), more.begin(), more.end());
                break;
            }
            case 1: {
                const auto left = below(its.tokens.size() + 2);
                tree.trim(holder, left);
                its.tokens.resize(std::min(left, its.tokens.size()));
                break;
            }
            case 2: {
                const auto other = below(count);
                if (other != chosen && its.tokens.empty()) {
                    const auto tokens = below(naive[other].tokens.size() + 1);
                    tree.follow(holder, static_cast<Holder>(other), tokens);
                    its = {.tokens = {naive[other].tokens.begin(),
                                      naive[other].tokens.begin() + static_cast<std::ptrdiff_t>(tokens)},
                           .salt = naive[other].salt};
                }
                break;
            }
            default: {
                const auto prompt = some_tokens(16);
                const std::string salt = below(4) == 0 ? "salt" : "";
                std::vector<std::size_t> expected(count);
                for (std::size_t each = 0; each < count; ++each) {
                    const auto& tokens = naive[each].tokens;
                    const auto common = std::ranges::mismatch(tokens, prompt).in1 - tokens.begin();
                    expected[each] = naive[each].salt == salt ? static_cast<std::size_t>(common) : 0;
                }
                ASSERT_EQ(depths(tree, prompt, salt, count), expected) << "seed " << GetParam();
            }
        }
        ASSERT_EQ(tree.tokens(holder), its.tokens) << "seed " << GetParam();
        const auto path = tree.path(holder);
        ASSERT_EQ(path.empty() ? 0 : path.back().tokens, its.tokens.size());
        const auto alive = std::ranges::count_if(naive, [](const Naive& each) { return !each.tokens.empty(); });
        ASSERT_LE(tree.nodes(), 2 * static_cast<std::size_t>(alive)) << "not compact, seed " << GetParam();
    }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomTrees, testing::Range(0U, 50U));

}  // namespace
}  // namespace worker::prefix
