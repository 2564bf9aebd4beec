#include "worker/loop/step_loop.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <set>
#include <utility>

#include "worker/loop/loop_fixture.hpp"

namespace worker::loop {
namespace {

using engine::Decoded;
using engine::scripted::expected_answer;
namespace contract = rpc::contract;

std::string expected(const JobSpec& spec, std::size_t most, unsigned end_every = 24) {
    return text_of(expected_answer(tokens_of(spec.prompt), spec.seed, most, end_every));
}

const contract::Usage& usage(const RecordingSink& sink) {
    return sink.last()->finished().usage();
}

TEST(StepLoop, AnswersAPrompt) {
    Bench bench;
    const JobSpec spec{.prompt = "what is this?", .max_tokens = 100, .seed = 3};
    const auto sink = bench.add(spec);
    bench.run();
    ASSERT_TRUE(sink->finished());
    EXPECT_EQ(sink->text[0], expected(spec, 100));
    EXPECT_EQ(sink->reasons[0], contract::STOP);
    EXPECT_EQ(usage(*sink).prompt_tokens(), 13U);
    EXPECT_TRUE(sink->events.front().has_started());
    EXPECT_EQ(bench.engine.complaint(), "");
}

TEST(StepLoop, StopsAtMaxTokens) {
    Bench bench({.end_every = 0});
    const auto sink = bench.add({.max_tokens = 7});
    bench.run();
    EXPECT_EQ(sink->text[0].size(), 7U);
    EXPECT_EQ(sink->reasons[0], contract::LENGTH);
    EXPECT_EQ(usage(*sink).completion_tokens(), 7U);
}

TEST(StepLoop, StopsWhenTheContextIsFull) {
    Bench bench({.end_every = 0});
    const auto sink = bench.add({.prompt = std::string(200, 'x')});
    bench.run();
    EXPECT_EQ(sink->text[0].size(), 56U);
    EXPECT_EQ(sink->reasons[0], contract::LENGTH);
}

TEST(StepLoop, APromptLongerThanTheContextFailsWithBothNumbers) {
    Bench bench;
    const auto sink = bench.add({.prompt = std::string(300, 'x')});
    EXPECT_EQ(sink->failure(), contract::CONTEXT_LENGTH);
    EXPECT_NE(sink->last()->failed().message().find("300"), std::string::npos);
    EXPECT_NE(sink->last()->failed().message().find("256"), std::string::npos);
}

TEST(StepLoop, StopTextsEndAnAnswerAndAreNotDelivered) {
    Bench bench({.end_every = 0});
    const JobSpec plain{.max_tokens = 40, .seed = 9};
    const std::string whole = expected(plain, 40, 0);
    const auto sink = bench.add({.max_tokens = 40, .seed = 9, .stop = {whole.substr(20, 3)}});
    bench.run();
    EXPECT_EQ(sink->text[0], whole.substr(0, whole.find(whole.substr(20, 3))));
    EXPECT_EQ(sink->reasons[0], contract::STOP);
    EXPECT_EQ(sink->stops[0], whole.substr(20, 3));
}

TEST(StepLoop, MinTokensAndIgnoreEndKeepAnAnswerGoing) {
    Bench bench({.end_every = 2});
    const auto at_least = bench.add({.id = "a", .max_tokens = 50, .min_tokens = 30});
    const auto no_end = bench.add({.id = "b", .max_tokens = 50, .ignore_end = true});
    bench.run();
    EXPECT_GE(at_least->text[0].size(), 30U);
    EXPECT_EQ(no_end->text[0].size(), 50U);
}

TEST(StepLoop, JobsRunSideBySideAndSayWhatTheyWouldSayAlone) {
    Bench bench;
    const JobSpec one{.id = "1", .prompt = "first prompt", .max_tokens = 60};
    const JobSpec two{.id = "2", .prompt = "another one", .max_tokens = 60};
    const auto first = bench.add(one);
    const auto second = bench.add(two);
    const int steps = bench.run();
    EXPECT_EQ(first->text[0], expected(one, 60));
    EXPECT_EQ(second->text[0], expected(two, 60));
    EXPECT_LE(steps, 3 + static_cast<int>(std::max(first->text[0].size(), second->text[0].size())));
}

struct ShortChats {
    std::size_t steps = 0;
    /// Of answers' tokens, the most in one step.
    std::size_t side_by_side = 0;
    double seconds = 0;
};

// A machine that reads its weights in 10 ms and computes a token in one: what chats share is the reading.
ShortChats run_short_chats(int chats) {
    ShortChats result;
    Bench* running = nullptr;
    engine::scripted::Settings settings{.end_every = 0};
    settings.intervene = [&](std::span<const engine::BatchToken> batch) {
        std::set<engine::Sequence> answering;
        for (const auto& token : batch) {
            if (token.output) {
                answering.insert(token.sequence);
            }
        }
        result.side_by_side = std::max(result.side_by_side, answering.size());
        running->clock.advance(std::chrono::milliseconds(10 + static_cast<int>(batch.size())));
        return Decoded::done;
    };
    Bench bench(settings, {.speculation = Speculation::off});
    running = &bench;
    std::vector<std::shared_ptr<RecordingSink>> sinks;
    for (int chat = 0; chat < chats; ++chat) {
        const std::string prompt = std::to_string(chat) + " is the number of this chat";
        sinks.push_back(bench.add({.id = prompt, .prompt = prompt, .max_tokens = 30}));
    }
    const auto begin = bench.clock.now();
    bench.run();
    for (const auto& sink : sinks) {
        EXPECT_EQ(sink->text[0].size(), 30U);
    }
    result.steps = bench.engine.decodes();
    result.seconds = base::seconds(bench.clock.now() - begin);
    return result;
}

TEST(StepLoop, _21_FourShortChatsShareTheirStepsAndTakeLessThanTwoAndAHalfTimesOne) {
    const auto one = run_short_chats(1);
    const auto four = run_short_chats(4);
    EXPECT_EQ(four.side_by_side, 4U);
    EXPECT_LT(2 * four.steps, 3 * one.steps)
        << "and not four times as many; prompts that come beside streams take some";
    EXPECT_LT(four.seconds, 2.5 * one.seconds);
}

TEST(StepLoop, ChoicesEvaluateThePromptOnceAndDiffer) {
    Bench bench({.limits = {.context_tokens = 256, .cells = 512, .sequences = 8, .slots = 4, .batch_tokens = 64}});
    const JobSpec spec{.prompt = std::string(50, 'p'), .max_tokens = 10, .seed = 5, .choices = 3, .ignore_end = true};
    const auto sink = bench.add(spec);
    bench.run();
    ASSERT_TRUE(sink->finished());
    for (std::uint32_t choice = 0; choice < 3; ++choice) {
        EXPECT_EQ(sink->text[choice].size(), 10U);
    }
    EXPECT_NE(sink->text[0], sink->text[1]);
    EXPECT_EQ(usage(*sink).prompt_tokens(), 50U);
    EXPECT_EQ(usage(*sink).completion_tokens(), 30U);
    // The prompt once, its last token once more for each other choice, and the answers.
    EXPECT_EQ(bench.engine.evaluated_tokens(), 50U + 2 + 3 * 9);
}

TEST(StepLoop, MoreChoicesThanSlotsTakeTurns) {
    Bench bench;
    const auto sink = bench.add({.prompt = "many", .max_tokens = 5, .choices = 9, .ignore_end = true});
    bench.run();
    ASSERT_TRUE(sink->finished());
    EXPECT_EQ(sink->reasons.size(), 9U);
    EXPECT_EQ(sink->text.size(), 9U);
}

TEST(StepLoop, ALaterPromptReusesTheBeginningOfAnEarlierOne) {
    Bench bench({.limits = {.context_tokens = 256, .cells = 1024, .sequences = 8, .slots = 4, .batch_tokens = 64}});
    const std::string shared(100, 's');
    bench.add({.id = "1", .prompt = shared + " first question", .max_tokens = 4});
    bench.run();
    bench.add({.id = "2", .prompt = "something else entirely", .max_tokens = 4});
    bench.run();
    const JobSpec third{.id = "3", .prompt = shared + " second question", .max_tokens = 4};
    const auto sink = bench.add(third);
    bench.run();
    EXPECT_EQ(usage(*sink).cached_tokens(), 101U);
    EXPECT_EQ(sink->text[0], expected(third, 4));
}

TEST(StepLoop, JobsThatArriveTogetherEvaluateTheirSharedPrefixOnce) {
    Bench bench({.limits = {.context_tokens = 256, .cells = 2048, .sequences = 16, .slots = 8, .batch_tokens = 64}});
    const std::string shared(150, 's');
    std::vector<std::shared_ptr<RecordingSink>> sinks;
    for (int job = 0; job < 8; ++job) {
        const auto id = std::to_string(job);
        sinks.push_back(bench.add({.id = id, .prompt = shared + " tail " + id, .max_tokens = 1}));
    }
    bench.run();
    EXPECT_LE(bench.engine.evaluated_tokens(), 150U + 8 * 8);
    for (int job = 0; job < 8; ++job) {
        EXPECT_EQ(sinks[static_cast<std::size_t>(job)]->text[0],
                  expected({.prompt = shared + " tail " + std::to_string(job)}, 1));
    }
}

TEST(StepLoop, DifferentSaltsShareNothing) {
    Bench bench;
    bench.add({.id = "1", .prompt = "a secret of somebody", .max_tokens = 2, .salt = "alice"});
    bench.run();
    const auto sink = bench.add({.id = "2", .prompt = "a secret of somebody", .max_tokens = 2, .salt = "bob"});
    bench.run();
    EXPECT_EQ(usage(*sink).cached_tokens(), 0U);
}

TEST(StepLoop, AModelThatCannotGoBackStillAnswersRight) {
    Bench bench({.can_go_back = false});
    for (int round = 0; round < 4; ++round) {
        const JobSpec spec{.id = std::to_string(round), .prompt = "the same prompt", .max_tokens = 20, .seed = 4};
        const auto sink = bench.add(spec);
        bench.run();
        EXPECT_EQ(sink->text[0], expected(spec, 20));
    }
    EXPECT_EQ(bench.engine.complaint(), "");
}

TEST(StepLoop, EqualPromptsOfAModelThatSharesNothingDoNotWaitForEachOther) {
    Bench bench({.can_go_back = false});
    const std::string prompt(60, 'p');
    bench.add({.id = "1", .prompt = prompt, .max_tokens = 5});
    bench.add({.id = "2", .prompt = prompt, .max_tokens = 5});
    bench.loop.step();
    EXPECT_EQ(bench.loop.statistics().running_jobs(), 2U);
}

TEST(StepLoop, AJobWaitsForCellsAndHurtsNobody) {
    Bench bench({.limits = {.context_tokens = 100, .cells = 100, .sequences = 8, .slots = 4, .batch_tokens = 32},
                 .end_every = 0});
    const JobSpec one{.id = "1", .prompt = std::string(60, 'a'), .max_tokens = 20};
    const JobSpec two{.id = "2", .prompt = std::string(60, 'b'), .max_tokens = 20};
    const auto first = bench.add(one);
    const auto second = bench.add(two);
    bench.loop.step();
    EXPECT_EQ(bench.loop.statistics().running_jobs(), 1U);
    EXPECT_EQ(bench.loop.statistics().waiting_jobs(), 1U);
    bench.run();
    EXPECT_EQ(first->text[0], expected(one, 20, 0));
    EXPECT_EQ(second->text[0], expected(two, 20, 0));
}

TEST(StepLoop, WhenCellsRunOutTheYoungestIsRecomputedLaterAndLosesNothing) {
    Bench bench({.limits = {.context_tokens = 100, .cells = 100, .sequences = 8, .slots = 4, .batch_tokens = 32},
                 .end_every = 0});
    std::vector<JobSpec> specs;
    std::vector<std::shared_ptr<RecordingSink>> sinks;
    for (int job = 0; job < 3; ++job) {
        specs.push_back(
            {.id = std::to_string(job), .prompt = std::string(10, static_cast<char>('a' + job)), .max_tokens = 60});
        sinks.push_back(bench.add(specs.back()));
    }
    ASSERT_GT(bench.run(), 0);
    for (std::size_t job = 0; job < 3; ++job) {
        ASSERT_TRUE(sinks[job]->finished());
        EXPECT_EQ(sinks[job]->text[0], expected(specs[job], 60, 0));
    }
    EXPECT_EQ(bench.engine.complaint(), "");
}

TEST(StepLoop, HigherPriorityGoesFirst) {
    Bench bench({.limits = {.context_tokens = 256, .cells = 256, .sequences = 2, .slots = 1, .batch_tokens = 32}});
    const auto background =
        bench.add({.id = "1", .prompt = "one", .max_tokens = 3, .ignore_end = true, .priority = -1});
    const auto normal = bench.add({.id = "2", .prompt = "two", .max_tokens = 3, .ignore_end = true});
    for (int step = 0; step < 3; ++step) {
        bench.loop.step();
    }
    EXPECT_TRUE(normal->finished());
    EXPECT_TRUE(background->events.empty());
    bench.run();
    EXPECT_TRUE(background->finished());
}

// ---- a machine on which a step takes 20 ms and each token beyond the first one more

struct TimedBench : Bench {
    TimedBench()
        : Bench({.limits = {.context_tokens = 8192, .cells = 32768, .sequences = 32, .slots = 16, .batch_tokens = 512},
                 .end_every = 0,
                 .intervene = [this](auto batch) {
                     clock.advance(std::chrono::milliseconds(19 + batch.size()));
                     return Decoded::done;
                 }}) {}

    /// Steps until `done`; the longest time between two tokens of `stream`.
    double longest_gap(const RecordingSink& stream, const std::function<bool()>& done) {
        double longest = 0;
        auto last = clock.now();
        std::size_t length = stream.text.at(0).size();
        while (!done()) {
            loop.step();
            if (stream.text.at(0).size() > length) {
                length = stream.text.at(0).size();
                longest = std::max(longest, base::seconds(clock.now() - std::exchange(last, clock.now())));
            }
        }
        return longest;
    }
};

bool has_text(const RecordingSink& sink) {
    return !sink.text.empty() && !sink.text.at(0).empty();
}

TEST(StepLoop, ALongPromptMakesTheGapsOfAStreamAtMostThreeTimesAsLong) {
    TimedBench bench;
    const auto stream = bench.add({.id = "stream", .prompt = std::string(100, 's')});
    bench.loop.step();
    bench.clock.advance(std::chrono::milliseconds(1));
    const double alone = bench.longest_gap(*stream, [&] { return stream->text[0].size() >= 30; });
    const auto begin = bench.clock.now();
    const auto arrival = bench.add({.id = "long", .prompt = std::string(6000, 'l'), .max_tokens = 4});
    const double beside = bench.longest_gap(*stream, [&] { return has_text(*arrival); });
    EXPECT_LE(beside, 3 * alone);
    // What is left of each step for the prompt, and a little for the looks in between.
    EXPECT_LE(base::seconds(bench.clock.now() - begin), 6.0 * 2.3 / 1.3 * 1.2);
}

TEST(StepLoop, AShortPromptBehindALongOneBeginsSoon) {
    for (const bool beside_a_stream : {false, true}) {
        TimedBench bench;
        if (beside_a_stream) {
            const auto stream = bench.add({.id = "stream", .prompt = "stream"});
            while (stream->text[0].size() < 10) {
                bench.loop.step();
            }
        }
        const auto slow = bench.add({.id = "long", .prompt = std::string(6000, 'l'), .max_tokens = 4});
        bench.loop.step();
        const auto quick = bench.add({.id = "short", .prompt = std::string(60, 'q'), .max_tokens = 4});
        int steps = 0;
        while (!has_text(*quick)) {
            bench.loop.step();
            ASSERT_LT(++steps, 20);
        }
        EXPECT_LE(steps, beside_a_stream ? 5 : 1);
        EXPECT_FALSE(has_text(*slow));
    }
}

TEST(StepLoop, PromptsOfOneBurstAreReadInLargeSteps) {
    TimedBench bench;
    std::vector<std::shared_ptr<RecordingSink>> sinks;
    for (int job = 0; job < 8; ++job) {
        sinks.push_back(
            bench.add({.id = std::to_string(job), .prompt = std::string(200, static_cast<char>('a' + job))}));
    }
    std::size_t steps = 0;
    while (!std::ranges::all_of(sinks, [](const auto& sink) { return has_text(*sink); })) {
        bench.loop.step();
        ASSERT_LT(++steps, 100U);
    }
    EXPECT_LE(steps, 12U);
}

TEST(StepLoop, ATenantWithOneJobDoesNotWaitForAllOfAnother) {
    Bench bench({.limits = {.context_tokens = 256, .cells = 1024, .sequences = 8, .slots = 2, .batch_tokens = 64}});
    std::vector<std::shared_ptr<RecordingSink>> many;
    for (int job = 0; job < 20; ++job) {
        many.push_back(bench.add({.id = "m" + std::to_string(job),
                                  .prompt = "one of many " + std::to_string(job),
                                  .max_tokens = 10,
                                  .ignore_end = true,
                                  .tenant = "many"}));
    }
    bench.loop.step();
    const auto one =
        bench.add({.id = "one", .prompt = "only one", .max_tokens = 10, .ignore_end = true, .tenant = "one"});
    while (!one->finished()) {
        bench.loop.step();
    }
    EXPECT_LE(std::ranges::count_if(many, [](const auto& sink) { return sink->finished(); }), 4);
    bench.run();
    EXPECT_TRUE(std::ranges::all_of(many, [](const auto& sink) { return sink->finished(); }));
}

TEST(StepLoop, AJobWhoseTimeIsOverEndsWhereverItIs) {
    Bench bench({.limits = {.context_tokens = 256, .cells = 256, .sequences = 8, .slots = 1, .batch_tokens = 32}});
    const auto running = bench.add({.id = "running", .ignore_end = true, .time = std::chrono::seconds(5)});
    const auto waiting = bench.add({.id = "waiting", .time = std::chrono::seconds(3)});
    const auto patient = bench.add({.id = "patient", .max_tokens = 5});
    bench.loop.step();
    bench.clock.advance(std::chrono::seconds(3));
    bench.loop.step();
    EXPECT_EQ(waiting->failure(), contract::DEADLINE);
    EXPECT_EQ(waiting->events.size(), 1U) << "it never started";
    EXPECT_EQ(running->last(), nullptr);
    bench.clock.advance(std::chrono::seconds(2));
    bench.loop.step();
    EXPECT_EQ(running->failure(), contract::DEADLINE);
    bench.run();
    EXPECT_TRUE(patient->finished());
}

TEST(StepLoop, ACancelledJobIsGoneWithTheNextStep) {
    Bench bench({.end_every = 0});
    const auto cancelled = bench.add({.id = "1", .prompt = "one"});
    const JobSpec other{.id = "2", .prompt = "two", .max_tokens = 30};
    const auto stays = bench.add(other);
    for (int step = 0; step < 5; ++step) {
        bench.loop.step();
    }
    bench.cancellations.request("1");
    bench.loop.step();
    EXPECT_EQ(cancelled->failure(), contract::CANCELLED);
    EXPECT_EQ(bench.loop.statistics().slots_busy(), 1U);
    bench.run();
    EXPECT_EQ(stays->text[0], expected(other, 30, 0));
    EXPECT_EQ(bench.loop.statistics().cancelled_jobs(), 1U);
}

TEST(StepLoop, AFailingStepCostsItsJobsOnly) {
    bool fail = true;
    Bench bench({.intervene = [&fail](auto) { return std::exchange(fail, false) ? Decoded::failed : Decoded::done; }});
    const auto broken = bench.add({.id = "1", .prompt = "one"});
    bench.loop.step();
    EXPECT_EQ(broken->failure(), contract::INTERNAL);
    const JobSpec next{.id = "2", .prompt = "one", .max_tokens = 20};
    const auto fine = bench.add(next);
    bench.run();
    EXPECT_EQ(fine->text[0], expected(next, 20));
}

TEST(StepLoop, AnEngineWithLessRoomThanItSaysIsNotAskedForTheSameAgainForEver) {
    Bench bench({.end_every = 0, .intervene = [](std::span<const engine::BatchToken> batch) {
                     return batch.size() > 1 ? Decoded::no_room : Decoded::done;
                 }});
    const auto sink = bench.add({.prompt = "too much"});
    ASSERT_GT(bench.run(), 0);
    EXPECT_NE(sink->failure(), contract::ERROR_CODE_UNSPECIFIED);
}

TEST(StepLoop, WhatIsKeptForLaterIsGivenUpBeforeAStepFailsForLackOfRoom) {
    bool refuse = false;
    Bench bench({.intervene = [&](auto) { return std::exchange(refuse, false) ? Decoded::no_room : Decoded::done; }});
    bench.add({.id = "1", .prompt = "kept for later", .max_tokens = 3});
    bench.run();
    ASSERT_GT(bench.loop.statistics().kv_cells_used(), 0U);
    refuse = true;
    const JobSpec next{.id = "2", .prompt = "needs the room", .max_tokens = 10};
    const auto sink = bench.add(next);
    bench.loop.step();
    EXPECT_EQ(bench.loop.statistics().kv_cells_used(), 0U);
    bench.run();
    ASSERT_TRUE(sink->finished());
    EXPECT_EQ(sink->text[0], expected(next, 10));
}

}  // namespace
}  // namespace worker::loop
