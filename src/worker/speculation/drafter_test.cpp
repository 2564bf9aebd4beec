#include "worker/speculation/drafter.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace worker::speculation {
namespace {

std::vector<Token> tokens_of(std::string_view text) {
    return {text.begin(), text.end()};
}

std::string text_of(const Draft& draft) {
    return {draft.tokens.begin(), draft.tokens.end()};
}

class DrafterTest : public testing::Test {
protected:
    void follow(Drafter& drafter, std::string_view more) {
        text += more;
        drafter.follow(tokens_of(text));
    }

    std::string text;
};

TEST_F(DrafterTest, HasNoGuessWithoutARepetition) {
    Drafter drafter({}, 3);
    follow(drafter, "abc");
    EXPECT_EQ(text_of(drafter.draft(5)), "");
}

TEST_F(DrafterTest, GuessesWhatThePromptSaid) {
    Drafter drafter({}, 14);
    follow(drafter, "one two three ");
    follow(drafter, "tw");
    EXPECT_EQ(text_of(drafter.draft(4)), "o th");
    EXPECT_EQ(drafter.draft(4).source, Source::lookup);
}

TEST_F(DrafterTest, GuessesWhatTheAnswerSaidBefore) {
    Drafter drafter({}, 1);
    follow(drafter, ">");
    follow(drafter, "red fox red");
    EXPECT_EQ(text_of(drafter.draft(4)), " fox");
}

TEST_F(DrafterTest, ARepetitionGoesOnForAsLongAsItIsAsked) {
    Drafter drafter({}, 1);
    follow(drafter, ">abcabc");
    EXPECT_EQ(text_of(drafter.draft(8)), "abcabcab");
}

TEST_F(DrafterTest, ReadsThePredictionFromItsStart) {
    Drafter drafter(tokens_of("Hello world."), 4);
    follow(drafter, "Hi! ");
    EXPECT_EQ(text_of(drafter.draft(20)), "Hello world.");
    EXPECT_EQ(drafter.draft(20).source, Source::prediction);
    follow(drafter, "Hello");
    EXPECT_EQ(text_of(drafter.draft(3)), " wo");
}

TEST_F(DrafterTest, FindsItsPlaceInThePredictionAgain) {
    Drafter drafter(tokens_of("alpha beta gamma delta"), 1);
    follow(drafter, ">");
    follow(drafter, "alpha BETA");
    follow(drafter, " gam");
    EXPECT_EQ(text_of(drafter.draft(20)), "ma delta");
}

TEST_F(DrafterTest, LearnsFromGuessesThatNobodyEvaluated) {
    Drafter drafter({}, 40);
    follow(drafter, "0123456789abcdefghijklmnopqrstuvwxyzABCD");
    follow(drafter, "01");
    const double before = drafter.draft(1).chances[0];
    follow(drafter, "x23y45z67v89w");
    follow(drafter, "ab");
    EXPECT_LT(drafter.draft(1).chances[0], before) << "after two tokens it was wrong each time";
}

TEST_F(DrafterTest, LearnsOfDraftsFromElsewhere) {
    Drafter drafter({}, 1);
    follow(drafter, ">");
    const double before = drafter.draft_of(Source::model, tokens_of("ab")).chances[0];
    follow(drafter, "ab");
    const double after_right = drafter.draft_of(Source::model, tokens_of("cd")).chances[0];
    EXPECT_GT(after_right, before);
    follow(drafter, "xy");
    EXPECT_LT(drafter.draft_of(Source::model, tokens_of("e")).chances[0], after_right);
}

TEST_F(DrafterTest, LearnsOfWhatASourceIsSureOfApartFromItsGuesses) {
    Drafter drafter({}, 1);
    follow(drafter, ">");
    for (int round = 0; round < 20; ++round) {
        drafter.draft_of(Source::format, tokens_of("ab?"), 2);
        follow(drafter, "abx");
    }
    const auto draft = drafter.draft_of(Source::format, tokens_of("ab?"), 2);
    EXPECT_GT(draft.chances[1], 0.95);
    EXPECT_LT(draft.chances[2], 0.3);
}

TEST_F(DrafterTest, WhatOneAnswerLearnsOfItsFormatTheNextBeginsWith) {
    Acceptance usual;
    Drafter first({}, 1, &usual);
    follow(first, ">");
    const double assumed = first.draft_of(Source::format, tokens_of("a")).chances[0];
    for (int round = 0; round < 20; ++round) {
        first.draft_of(Source::format, tokens_of("?"));
        follow(first, "x");
    }
    Drafter next({}, 1, &usual);
    Drafter of_its_own({}, 1);
    EXPECT_LT(next.draft_of(Source::format, tokens_of("a")).chances[0], assumed / 2);
    EXPECT_EQ(of_its_own.draft_of(Source::format, tokens_of("a")).chances[0], assumed);
}

}  // namespace
}  // namespace worker::speculation
