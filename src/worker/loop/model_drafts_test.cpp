#include "worker/loop/model_drafts.hpp"

#include <gtest/gtest.h>

#include "worker/loop/loop_fixture.hpp"

namespace worker::loop {
namespace {

// A machine that evaluates a second token almost for free, and a draft model of which so many of 8 guesses are right.
struct Machine {
    explicit Machine(unsigned right_of_8, int step_microseconds = 1000, int token_microseconds = 20) {
        settings.limits = {.context_tokens = 1024, .cells = 2048, .sequences = 8, .slots = 4, .batch_tokens = 64};
        settings.end_every = 0;
        settings.draft_right_of_8 = right_of_8;
        settings.intervene = [this, step_microseconds, token_microseconds](std::span<const engine::BatchToken> batch) {
            bench->clock.advance(
                std::chrono::microseconds(step_microseconds + token_microseconds * static_cast<int>(batch.size())));
            return engine::Decoded::done;
        };
        bench = std::make_unique<Bench>(settings);
    }

    engine::scripted::Settings settings;
    std::unique_ptr<Bench> bench;
};

std::uint64_t drafted_by_model(const StepLoop& loop) {
    for (const auto& source : loop.statistics().drafts()) {
        if (source.source() == "model") {
            return source.drafted();
        }
    }
    return 0;
}

TEST(ModelDrafts, AGoodModelMakesAnAnswerTakeFewerStepsAndNoOtherText) {
    Machine without(0);
    Machine with(8);
    const JobSpec job{.prompt = "a question", .max_tokens = 100, .seed = 0};
    const auto plain = without.bench->add(job);
    const auto fast = with.bench->add(job);
    without.bench->run();
    with.bench->run();
    EXPECT_EQ(fast->text[0], plain->text[0]);
    EXPECT_LT(2 * with.bench->engine.decodes(), without.bench->engine.decodes());
    EXPECT_GT(drafted_by_model(with.bench->loop), 50U);
    EXPECT_EQ(with.bench->engine.complaint(), "");
}

TEST(ModelDrafts, AModelThatIsWrongIsSoonNotAskedAnyMore) {
    Machine machine(1, 1000, 200);
    machine.bench->add({.prompt = "a question", .max_tokens = 400});
    machine.bench->run();
    EXPECT_GT(machine.bench->engine.drafted_for(), 0U) << "nobody knew before";
    EXPECT_LT(machine.bench->engine.drafted_for(), 60U) << "of 400 tokens";
}

TEST(ModelDrafts, WhereEveryTokenOfAStepCostsAsMuchAsTheFirstTheModelIsNotAsked) {
    Machine machine(6, 0, 1000);
    machine.bench->add({.prompt = "a question", .max_tokens = 400});
    machine.bench->run();
    EXPECT_LT(machine.bench->engine.drafted_for(), 20U);
}

TEST(ModelDrafts, AShortAnswerDoesNotMakeTheModelReadALongPrompt) {
    Machine machine(8);
    machine.bench->add({.prompt = std::string(900, 'p'), .max_tokens = 4});
    machine.bench->run();
    EXPECT_EQ(machine.bench->engine.read_tokens(), 0U);
}

TEST(ModelDrafts, ALongAnswerDoesAndInPieces) {
    Machine machine(8);
    machine.bench->add({.prompt = "0123456789" + std::string(300, 'p'), .max_tokens = 600});
    std::size_t largest = 0;
    for (std::size_t before = 0; machine.bench->loop.step();) {
        const auto read = machine.bench->engine.read_tokens();
        largest = std::max(largest, read - before);
        before = read;
    }
    EXPECT_GT(machine.bench->engine.read_tokens(), 310U);
    EXPECT_LE(largest, 96U);
    EXPECT_GT(drafted_by_model(machine.bench->loop), 200U);
}

TEST(ModelDrafts, SeveralAnswersAreDraftedForTogether) {
    Machine machine(8);
    std::vector<std::shared_ptr<RecordingSink>> sinks;
    for (const char* prompt : {"first question", "second question", "third question"}) {
        sinks.push_back(machine.bench->add({.id = prompt, .prompt = prompt, .max_tokens = 60}));
    }
    machine.bench->run();
    for (const auto& sink : sinks) {
        EXPECT_TRUE(sink->finished());
    }
    EXPECT_LT(machine.bench->engine.decodes(), 60U);
    EXPECT_EQ(machine.bench->engine.complaint(), "");
}

}  // namespace
}  // namespace worker::loop
