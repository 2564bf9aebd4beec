#include "worker/speculation/lookup_index.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string_view>

namespace worker::speculation {
namespace {

LookupIndex index_of(std::string_view text) {
    LookupIndex index;
    std::ranges::for_each(text, [&](char letter) { index.append(letter); });
    return index;
}

char guess(const LookupIndex& index) {
    const auto match = index.find();
    return match ? static_cast<char>(index.text()[match->position]) : '?';
}

TEST(LookupIndex, FindsNothingInATextWithoutRepetition) {
    EXPECT_FALSE(LookupIndex().find());
    EXPECT_FALSE(index_of("abcdefg").find());
    EXPECT_FALSE(index_of("axbx").find()) << "one token is no match";
}

TEST(LookupIndex, FindsWhatFollowedTheSameTokens) {
    EXPECT_EQ(guess(index_of("the cat sat; the c")), 'a');
    EXPECT_EQ(index_of("the cat sat; the c").find()->length, 5U);
}

TEST(LookupIndex, PrefersTheLongerMatchToTheLaterOne) {
    EXPECT_EQ(guess(index_of("one red fox, two red hen, one red ")), 'f');
}

TEST(LookupIndex, PrefersTheLaterOfEqualMatches) {
    EXPECT_EQ(guess(index_of("(ab1)(ab2)(ab")), '2');
}

TEST(LookupIndex, MatchesDoNotReachOverADivider) {
    LookupIndex index = index_of("abcd");
    index.append(divider);
    for (const Token token : {'x', 'b', 'c', 'd'}) {
        index.append(token);
    }
    index.append(divider);
    EXPECT_FALSE(index.find());
    index.append('c');
    index.append('d');
    EXPECT_EQ(index.find()->length, 2U);
}

// The definition, without chains.
std::optional<LookupIndex::Match> search(const std::vector<Token>& text) {
    std::optional<LookupIndex::Match> best;
    for (std::size_t position = 1; position < text.size(); ++position) {
        std::size_t length = 0;
        while (length < position && text[position - 1 - length] != divider &&
               text[position - 1 - length] == text[text.size() - 1 - length]) {
            ++length;
        }
        if (length >= 2 && (!best || length >= best->length)) {
            best = LookupIndex::Match{.position = position, .length = length};
        }
    }
    return best;
}

TEST(LookupIndex, FindsWhatASearchOfTheWholeTextFinds) {
    std::mt19937 random(7);
    for (int round = 0; round < 200; ++round) {
        LookupIndex index;
        const unsigned letters = 2 + random() % 12;
        for (int count = 0; count < 60; ++count) {
            index.append(random() % 20 == 0 ? divider : static_cast<Token>(random() % letters));
            const auto expected = search(index.text());
            const auto found = index.find();
            ASSERT_EQ(found.has_value(), expected.has_value());
            if (expected && expected->length < 32) {
                ASSERT_EQ(found->length, expected->length);
                ASSERT_EQ(found->position, expected->position);
            }
        }
    }
}

}  // namespace
}  // namespace worker::speculation
