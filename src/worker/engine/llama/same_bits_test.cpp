// With a real model: which tokens come next, and how likely they are, does not depend on what else is evaluated in the
// same step, on how many tokens at once, or on where in memory the sequence is. Not to within a tolerance: to the last
// bit. So guessed tokens, neighbours, reused prefixes and restored states cannot change an answer.

#include <gtest/gtest.h>

#include <bit>
#include <random>

#include "worker/engine/llama/real_model.hpp"

namespace worker::engine::llama {
namespace {

/// The likeliest tokens of one place, with the bits of their log-probabilities.
using Distribution = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

class SameBits : public testing::TestWithParam<RealModel> {
protected:
    static constexpr std::size_t length = 600;
    /// Distributions are compared after each of the last tokens.
    static constexpr std::size_t compared = 12;
    static constexpr Sequence subject = 5;

    void SetUp() override {
        auto loaded = load_model(GetParam());
        ASSERT_TRUE(loaded) << loaded.error().message;
        engine = std::move(*loaded);
        auto prepared = prepare_long_text(*engine);
        text = std::move(prepared.prompt);
        ASSERT_GT(text.size(), length);
        answer = std::move(prepared.answers.front());
    }

    std::span<const Token> all() const { return std::span(text).first(length); }
    /// A text that begins differently.
    std::span<const Token> other(std::size_t tokens) const { return std::span(text).subspan(7, tokens); }

    Distribution distribution(std::size_t batch_index) {
        Distribution likeliest;
        for (const auto& each : answer->describe(batch_index, text.front(), 100).top()) {
            likeliest.emplace_back(each.id(), std::bit_cast<std::uint32_t>(each.logprob()));
        }
        return likeliest;
    }

    void add(std::vector<BatchToken>& batch, Sequence sequence, std::span<const Token> tokens, std::size_t from,
             std::size_t to) const {
        for (std::size_t position = from; position < to; ++position) {
            batch.push_back({.token = tokens[position],
                             .sequence = sequence,
                             .position = static_cast<std::int32_t>(position),
                             .output = position + compared >= length});
        }
    }

    void decode(const std::vector<BatchToken>& batch) { ASSERT_EQ(engine->decode(batch, never), Decoded::done); }

    /// Evaluates tokens [from, to) in steps of at most `step`; the distributions of those that are compared.
    std::vector<Distribution> evaluate(Sequence sequence, std::span<const Token> tokens, std::size_t from,
                                       std::size_t to, std::size_t step) {
        std::vector<Distribution> found;
        while (from < to) {
            const auto end = std::min(from + step, to);
            std::vector<BatchToken> batch;
            add(batch, sequence, tokens, from, end);
            decode(batch);
            for (std::size_t index = 0; index < batch.size(); ++index) {
                if (batch[index].output) {
                    found.push_back(distribution(index));
                }
            }
            from = end;
        }
        return found;
    }

    /// The compared tokens one by one, after all others at once: the undisturbed run.
    const std::vector<Distribution>& expected() {
        if (expected_.empty()) {
            evaluate(0, all(), 0, length - compared, 512);
            expected_ = evaluate(0, all(), length - compared, length, 1);
            engine->clear(0);
        }
        return expected_;
    }

    /// Sequences 1 to 4 take cells, and one of them leaves a hole.
    void disturb() {
        for (Sequence each = 1; each <= 4; ++each) {
            evaluate(each, other(500), 0, 60 + 35 * static_cast<std::size_t>(each), 512);
        }
        engine->clear(2);
    }

    std::unique_ptr<TextEngine> engine;
    std::vector<Token> text;
    std::unique_ptr<Answer> answer;
    const std::atomic<bool> never = false;

private:
    std::vector<Distribution> expected_;
};

TEST_P(SameBits, CheckedTogetherAsGuessesAre) {
    expected();
    evaluate(subject, all(), 0, length - compared, 512);
    EXPECT_EQ(evaluate(subject, all(), length - compared, length, compared), expected());
}

TEST_P(SameBits, InStepsOfAnySize) {
    expected();
    const auto seed = std::random_device()();
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    for (int round = 0; round < 3; ++round) {
        std::vector<Distribution> found;
        for (std::size_t from = 0; from < length;) {
            const auto end = std::min(from + 1 + random() % (round == 0 ? 300 : 40), length);
            const auto more = evaluate(subject, all(), from, end, 512);
            found.insert(found.end(), more.begin(), more.end());
            from = end;
        }
        EXPECT_EQ(found, expected());
        engine->clear(subject);
    }
}

TEST_P(SameBits, InOtherCells) {
    expected();
    disturb();
    evaluate(subject, all(), 0, length - compared, 512);
    EXPECT_EQ(evaluate(subject, all(), length - compared, length, 1), expected());
}

TEST_P(SameBits, BesideOthersThatGenerateAndAPrompt) {
    expected();
    disturb();
    evaluate(subject, all(), 0, length - compared, 100);
    std::vector<Distribution> found;
    for (std::size_t place = length - compared; place < length; ++place) {
        const auto round = place + compared - length;
        std::vector<BatchToken> batch;
        add(batch, 1, other(500), 95 + round, 96 + round);
        add(batch, 6, other(500), 20 * round, 20 * (round + 1));
        add(batch, subject, all(), place, place + 1);
        add(batch, 3, other(500), 165 + round, 166 + round);
        decode(batch);
        found.push_back(distribution(batch.size() - 2));
    }
    EXPECT_EQ(found, expected());
}

TEST_P(SameBits, AfterACopiedPrefix) {
    expected();
    disturb();
    evaluate(7, all(), 0, 450, 512);
    for (const std::size_t copied : {64, 100, 333, 450}) {
        engine->copy(7, subject, copied);
        evaluate(subject, all(), copied, length - compared, 512);
        EXPECT_EQ(evaluate(subject, all(), length - compared, length, 3), expected()) << copied;
        engine->clear(subject);
    }
}

TEST_P(SameBits, AfterGuessesThatWereWrong) {
    expected();
    evaluate(subject, all(), 0, length - compared, 512);
    std::vector<Distribution> found;
    for (std::size_t place = length - compared; place < length; ++place) {
        std::vector<BatchToken> batch;
        add(batch, subject, all(), place, place + 1);
        for (std::size_t wrong = 1; wrong <= 5; ++wrong) {
            add(batch, subject, text, place + wrong, place + wrong + 1);
            batch.back().token = text[wrong];
        }
        decode(batch);
        found.push_back(distribution(0));
        ASSERT_TRUE(engine->trim(subject, place + 1));
    }
    EXPECT_EQ(found, expected());
}

TEST_P(SameBits, OutOfSavedStates) {
    expected();
    evaluate(0, all(), 0, 570, 512);
    const auto head = engine->save(0, 0, 300);
    const auto tail = engine->save(0, 256, 570);
    ASSERT_TRUE(head && tail);
    engine->clear(0);
    disturb();
    ASSERT_TRUE(engine->restore(subject, 0, 256, head->view(), 0));
    ASSERT_TRUE(engine->restore(subject, 256, 570, tail->view(), 256));
    evaluate(subject, all(), 570, length - compared, 512);
    EXPECT_EQ(evaluate(subject, all(), length - compared, length, 1), expected());
}

INSTANTIATE_TEST_SUITE_P(Models, SameBits, testing::Values(RealModel{}, RealModel{.threads = 2}));

}  // namespace
}  // namespace worker::engine::llama
