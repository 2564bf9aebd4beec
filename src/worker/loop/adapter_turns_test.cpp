#include "worker/loop/adapter_turns.hpp"

#include <gmock/gmock.h>

#include "worker/loop/loop_fixture.hpp"

namespace worker::loop {
namespace {

using testing::Each;

const std::vector<std::string> names{"legal", "poems"};

std::vector<std::unique_ptr<Run>> running(const std::vector<std::string>& keys) {
    std::vector<std::unique_ptr<Run>> runs;
    for (const std::string& key : keys) {
        auto job = std::make_shared<JobInLoop>();
        job->adapters.key = key;
        runs.push_back(std::make_unique<Run>(
            Run{.job = std::move(job), .answer = nullptr, .stream = AnswerStream({}), .sequence = std::nullopt}));
    }
    return runs;
}

std::string first_of(AdapterTurns& turns, const std::vector<std::string>& keys) {
    const auto order = turns.in_order(running(keys));
    turns.took(order.front());
    return order.front().key;
}

TEST(AdapterTurns, GoRoundInACircle) {
    AdapterTurns turns;
    std::string order;
    for (int step = 0; step < 7; ++step) {
        order += first_of(turns, {"a", "b", "a", "c"});
    }
    EXPECT_EQ(order, "abcabca");
}

TEST(AdapterTurns, OneThatComesNewIsTheLast) {
    AdapterTurns turns;
    first_of(turns, {"a", "b"});
    EXPECT_EQ(first_of(turns, {"a", "b", "new"}), "b");
    // However many new ones come, one after the other.
    EXPECT_EQ(first_of(turns, {"a", "b", "newer"}), "a");
}

TEST(AdapterTurns, ATurnThatWasOfNoUseIsNotLost) {
    AdapterTurns turns;
    const auto runs = running({"a", "b"});
    turns.in_order(runs);
    turns.took({.uses = {}, .key = "b"});
    EXPECT_EQ(turns.in_order(runs).front().key, "a");
}

// ---- the loop

/// What each step evaluated: the sequences of its batch.
struct Watched {
    explicit Watched(engine::scripted::Settings settings = {}, Speculation speculation = Speculation::off)
        : bench(watching(std::move(settings)), {.speculation = speculation}) {}

    engine::scripted::Settings watching(engine::scripted::Settings settings) {
        settings.adapters = names;
        settings.intervene = [this](std::span<const engine::BatchToken> batch) {
            bench.clock.advance(std::chrono::milliseconds(10 + batch.size()));
            sizes.push_back(batch.size());
            return engine::Decoded::done;
        };
        return settings;
    }

    std::vector<std::size_t> sizes;
    Bench bench;
};

std::string expected(const JobSpec& spec, std::size_t most) {
    return text_of(engine::scripted::expected_answer(tokens_of(spec.prompt), seed_of(spec), most, 24));
}

TEST(Adapters, AnswersWithDifferentOnesNeverShareAStep) {
    Watched watched(
        {.limits = {.context_tokens = 256, .cells = 1024, .sequences = 12, .slots = 6, .batch_tokens = 64}});
    std::vector<JobSpec> specs;
    std::vector<std::shared_ptr<RecordingSink>> sinks;
    for (const char* adapter : {"", "legal", "poems", "", "legal", "poems"}) {
        specs.push_back({.id = std::to_string(specs.size()),
                         .prompt = "the same prompt for all of them, number " + std::to_string(specs.size() / 3),
                         .max_tokens = 40,
                         .adapter = adapter});
        sinks.push_back(watched.bench.add(specs.back()));
    }
    watched.bench.run();
    for (std::size_t index = 0; index < specs.size(); ++index) {
        EXPECT_EQ(sinks[index]->text[0], expected(specs[index], 40)) << index;
    }
    EXPECT_EQ(watched.bench.engine.complaint(), "");
    EXPECT_NE(sinks[0]->text[0], sinks[1]->text[0]);
    EXPECT_NE(sinks[1]->text[0], sinks[2]->text[0]);
}

TEST(Adapters, ThoseWithTheSameOneShareSteps) {
    Watched watched;
    for (const char* id : {"1", "2", "3"}) {
        watched.bench.add({.id = id,
                           .prompt = std::string("prompt ") + id,
                           .max_tokens = 20,
                           .ignore_end = true,
                           .adapter = "legal"});
    }
    EXPECT_LE(watched.bench.run(), 24);
}

TEST(Adapters, AnotherScaleIsAnotherSet) {
    Watched watched;
    const JobSpec whole{.id = "1", .prompt = "prompt", .max_tokens = 20, .adapter = "legal"};
    const JobSpec half{.id = "2", .prompt = "prompt", .max_tokens = 20, .adapter = "legal", .adapter_scale = 0.5F};
    const auto one = watched.bench.add(whole);
    const auto other = watched.bench.add(half);
    watched.bench.run();
    EXPECT_EQ(one->text[0], expected(whole, 20));
    EXPECT_EQ(other->text[0], expected(half, 20));
    EXPECT_EQ(watched.bench.engine.complaint(), "");
}

// One stream goes on at every other step however many answers the other set has, and whatever comes and goes.
TEST(Adapters, NoneStarves) {
    Watched watched(
        {.limits = {.context_tokens = 256, .cells = 2048, .sequences = 12, .slots = 6, .batch_tokens = 64}});
    const auto stream = watched.bench.add({.id = "stream", .prompt = "s", .max_tokens = 60, .ignore_end = true});
    int jobs = 0;
    int steps = 0;
    while (!stream->finished()) {
        ASSERT_LT(++steps, 60 * 3 + 60);
        if (steps % 2 == 0) {
            // A set of its own each time, gone after a step or two.
            watched.bench.add({.id = "short" + std::to_string(jobs),
                               .prompt = "p" + std::to_string(jobs),
                               .max_tokens = 1,
                               .adapter = names[static_cast<std::size_t>(jobs) % 2],
                               .adapter_scale = static_cast<float>(++jobs)});
        }
        watched.bench.step();
    }
}

TEST(Adapters, APromptWithAnotherOneIsReadInPartsBetweenTheStepsOfAStream) {
    Watched watched(
        {.limits = {.context_tokens = 2048, .cells = 8192, .sequences = 12, .slots = 6, .batch_tokens = 512}});
    const auto stream = watched.bench.add({.id = "stream", .prompt = "s", .max_tokens = 400, .ignore_end = true});
    for (int step = 0; step < 20; ++step) {
        watched.bench.step();
    }
    const auto prompt = watched.bench.add(
        {.id = "long", .prompt = std::string(1200, 'l'), .max_tokens = 1, .ignore_end = true, .adapter = "poems"});
    watched.sizes.clear();
    std::size_t told = stream->text[0].size();
    int steps = 0;
    while (!prompt->finished()) {
        ASSERT_FALSE(stream->finished());
        ASSERT_LT(++steps, 400);
        watched.bench.step();
    }
    EXPECT_THAT(watched.sizes, Each(testing::Lt(100U)));
    // At least every other step is the stream's.
    EXPECT_GE(2 * (stream->text[0].size() - told) + 1, watched.sizes.size());
}

std::uint32_t cached_tokens(Bench& bench, JobSpec spec) {
    spec.max_tokens = 4;
    const auto sink = bench.add(spec);
    bench.run();
    EXPECT_TRUE(sink->finished());
    EXPECT_EQ(bench.engine.complaint(), "");
    return sink->last()->finished().usage().cached_tokens();
}

const std::string shared_prompt = "a beginning of a hundred characters or so, that all of them have in common: ";

TEST(Adapters, ShareNothingThatWasEvaluatedWithOthers) {
    Bench bench({.limits = {.context_tokens = 256, .cells = 2048, .sequences = 12, .slots = 4, .batch_tokens = 64},
                 .adapters = names});
    EXPECT_EQ(cached_tokens(bench, {.id = "1", .prompt = shared_prompt + "one"}), 0U);
    EXPECT_EQ(cached_tokens(bench, {.id = "2", .prompt = shared_prompt + "two", .adapter = "legal"}), 0U);
    EXPECT_EQ(cached_tokens(bench, {.id = "3", .prompt = shared_prompt + "two", .adapter = "poems"}), 0U);
    EXPECT_EQ(
        cached_tokens(bench, {.id = "4", .prompt = shared_prompt + "two", .adapter = "legal", .adapter_scale = 0.5F}),
        0U);
    EXPECT_GE(cached_tokens(bench, {.id = "5", .prompt = shared_prompt + "three"}), shared_prompt.size());
    EXPECT_GE(cached_tokens(bench, {.id = "6", .prompt = shared_prompt + "three", .adapter = "legal"}),
              shared_prompt.size());
    // Nor can a salt be made that is another's.
    const auto key = engine::scripted::adapter_key("legal", 1);
    EXPECT_EQ(cached_tokens(bench, {.id = "7", .prompt = shared_prompt + "x", .salt = "apart:" + key + "\n"}), 0U);
}

TEST(Adapters, ShareNothingThatWasSavedOfOthers) {
    Bench bench({.limits = {.context_tokens = 256, .cells = 256, .sequences = 8, .slots = 4, .batch_tokens = 64},
                 .end_every = 0,
                 .adapters = names},
                {.archive = {.memory_bytes = 1 << 20}});
    cached_tokens(bench, {.id = "1", .prompt = shared_prompt + "one"});
    cached_tokens(bench, {.id = "2", .prompt = shared_prompt + "one", .adapter = "legal"});
    cached_tokens(bench, {.id = "3", .prompt = std::string(240, 'x')});  // pushes all of it out
    EXPECT_EQ(cached_tokens(bench, {.id = "4", .prompt = shared_prompt + "one", .adapter = "poems"}), 0U);
    cached_tokens(bench, {.id = "5", .prompt = std::string(240, 'y')});
    EXPECT_GE(cached_tokens(bench, {.id = "6", .prompt = shared_prompt + "one", .adapter = "legal"}),
              shared_prompt.size());
    EXPECT_GT(bench.loop.statistics().prompt_tokens_from_memory(), 0U);
}

TEST(Adapters, DoNotUseWhatIsPinned) {
    Bench bench({.adapters = names});
    bench.loop.add(PinOrder{.tokens = tokens_of(shared_prompt.substr(0, 60))});
    bench.run();
    EXPECT_EQ(cached_tokens(bench, {.id = "1", .prompt = shared_prompt, .adapter = "legal"}), 0U);
    EXPECT_EQ(cached_tokens(bench, {.id = "2", .prompt = shared_prompt}), 60U);
}

TEST(Adapters, GuessTheirTokensAsOthersDo) {
    Watched watched({.end_every = 0, .repeats_of_8 = 7}, Speculation::automatic);
    const JobSpec spec{.prompt = "abcdefgabcdefgabcdefg", .max_tokens = 100, .adapter = "legal"};
    const auto sink = watched.bench.add(spec);
    watched.bench.run();
    EXPECT_EQ(sink->text[0],
              text_of(engine::scripted::expected_answer(tokens_of(spec.prompt), seed_of(spec), 100, 0, 7)));
    EXPECT_GT(sink->last()->finished().usage().accepted_tokens(), 0U);
}

}  // namespace
}  // namespace worker::loop
