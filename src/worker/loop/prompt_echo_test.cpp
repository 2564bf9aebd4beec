// Prompts that are sent back, with and without the log-probabilities of their tokens.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "worker/loop/loop_fixture.hpp"

namespace worker::loop {
namespace {

using engine::scripted::expected_answer;

const rpc::contract::PromptEcho* echo_of(const RecordingSink& sink) {
    const auto found = std::ranges::find_if(sink.events, &rpc::Event::has_prompt_echo);
    return found == sink.events.end() ? nullptr : &found->prompt_echo();
}

std::ptrdiff_t echoes(const RecordingSink& sink) {
    return std::ranges::count_if(sink.events, &rpc::Event::has_prompt_echo);
}

/// Each token of the prompt once, and what is known of it: how many went before.
void expect_scored(const RecordingSink& sink, const std::string& prompt) {
    const auto* echo = echo_of(sink);
    ASSERT_NE(echo, nullptr);
    EXPECT_EQ(echoes(sink), 1);
    EXPECT_EQ(echo->text(), prompt);
    EXPECT_TRUE(echo->first_is_unconditioned());
    ASSERT_EQ(echo->tokens_size(), static_cast<int>(prompt.size()));
    for (int index = 0; index < echo->tokens_size(); ++index) {
        EXPECT_EQ(echo->tokens(index).bytes(), prompt.substr(static_cast<std::size_t>(index), 1));
        EXPECT_EQ(echo->tokens(index).logprob(), static_cast<float>(-index)) << index;
    }
}

TEST(PromptEcho, ComesBeforeTheAnswer) {
    Bench bench;
    const auto sink = bench.add({.prompt = "a prompt", .max_tokens = 3, .echo = true});
    bench.run();
    ASSERT_TRUE(sink->finished());
    ASSERT_NE(echo_of(*sink), nullptr);
    EXPECT_EQ(echo_of(*sink)->text(), "a prompt");
    EXPECT_EQ(echo_of(*sink)->tokens_size(), 0);
    const auto first_text = std::ranges::find_if(sink->events, &rpc::Event::has_text);
    EXPECT_LT(std::ranges::find_if(sink->events, &rpc::Event::has_prompt_echo), first_text);
}

TEST(PromptEcho, WithLogprobsUsesNothingThatIsPinned) {
    Bench bench;
    const std::string prompt = "a prompt of which the operator wants the first part to be kept for good";
    bench.loop.add(PinOrder{.tokens = tokens_of(prompt.substr(0, 50))});
    bench.run();
    const auto sink = bench.add({.prompt = prompt, .max_tokens = 2, .logprobs = true, .echo = true});
    bench.run();
    ASSERT_TRUE(sink->finished());
    expect_scored(*sink, prompt);
}

TEST(PromptEcho, WithLogprobsHasEveryTokenAlsoOfAKnownPrompt) {
    Bench bench;
    const std::string prompt = "a prompt of some length, so that a part of it is worth keeping";
    bench.add({.id = "before", .prompt = prompt, .max_tokens = 1});
    bench.run();
    const auto sink = bench.add(
        {.id = "scored", .prompt = prompt, .max_tokens = 5, .ignore_end = true, .logprobs = true, .echo = true});
    bench.run();
    ASSERT_TRUE(sink->finished());
    expect_scored(*sink, prompt);
    EXPECT_EQ(sink->last()->finished().usage().cached_tokens(), 0U);
    EXPECT_EQ(sink->text[0], text_of(expected_answer(tokens_of(prompt), 0, 5, 0)));
    EXPECT_EQ(bench.engine.complaint(), "");
}

TEST(PromptEcho, NeedsNoAnswer) {
    Bench bench;
    const auto sink = bench.add({.prompt = "only scored", .max_tokens = 0, .logprobs = true, .echo = true});
    bench.run();
    ASSERT_TRUE(sink->finished());
    expect_scored(*sink, "only scored");
    EXPECT_EQ(sink->text[0], "");
    EXPECT_EQ(sink->reasons[0], rpc::contract::LENGTH);
}

TEST(PromptEcho, OfOneTokenIsWhole) {
    Bench bench;
    const auto sink = bench.add({.prompt = "x", .max_tokens = 1, .logprobs = true, .echo = true});
    bench.run();
    expect_scored(*sink, "x");
}

TEST(PromptEcho, IsToldOnceForSeveralAnswersAndBeforeAll) {
    Bench bench;
    const auto sink = bench.add(
        {.prompt = "short", .max_tokens = 4, .choices = 3, .ignore_end = true, .logprobs = true, .echo = true});
    bench.run();
    ASSERT_TRUE(sink->finished());
    expect_scored(*sink, "short");
    const auto first_text = std::ranges::find_if(sink->events, &rpc::Event::has_text);
    EXPECT_LT(std::ranges::find_if(sink->events, &rpc::Event::has_prompt_echo), first_text);
    for (std::uint32_t choice = 0; choice < 3; ++choice) {
        EXPECT_EQ(sink->text[choice], text_of(expected_answer(tokens_of("short"), choice, 4, 0)));
    }
}

// Few outputs, few cells and neighbours that come and go: runs lose their memory in the middle of it.
TEST(PromptEcho, IsRightHoweverTheWorkIsDivided) {
    for (unsigned seed = 0; seed < 200; ++seed) {
        std::mt19937 random(seed);
        Bench bench({.limits = {.context_tokens = 64,
                                .cells = 96,
                                .sequences = 8,
                                .slots = 4,
                                .batch_tokens = 16,
                                .outputs = 4 + random() % 6}});
        std::vector<std::pair<std::shared_ptr<RecordingSink>, std::string>> scored;
        for (int job = 0; job < 6; ++job) {
            std::string prompt;
            for (auto letters = 1 + random() % 40; letters > 0; --letters) {
                prompt += static_cast<char>('a' + random() % 3);
            }
            const bool scores = random() % 2 == 0;
            auto sink = bench.add({.id = std::to_string(job),
                                   .prompt = prompt,
                                   .max_tokens = static_cast<std::uint32_t>(random() % 12),
                                   .choices = static_cast<std::uint32_t>(1 + random() % 2),
                                   .logprobs = scores,
                                   .echo = scores});
            if (scores) {
                scored.emplace_back(sink, prompt);
            }
            for (auto steps = random() % 4; steps > 0; --steps) {
                bench.loop.step();
            }
        }
        ASSERT_NE(bench.run(), 0) << "seed " << seed;
        EXPECT_EQ(bench.engine.complaint(), "") << "seed " << seed;
        for (const auto& [sink, prompt] : scored) {
            SCOPED_TRACE("seed " + std::to_string(seed));
            ASSERT_TRUE(sink->finished());
            expect_scored(*sink, prompt);
        }
    }
}

}  // namespace
}  // namespace worker::loop
