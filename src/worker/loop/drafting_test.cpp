// Guesses of what a format leaves no choice about, on machines whose steps cost what the test says: whatever the machine
// and however bad the guesses, answers take hardly longer than without them.

#include "worker/loop/drafting.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "worker/loop/loop_fixture.hpp"

namespace worker::loop {
namespace {

/// Microseconds of a step with so many tokens.
struct Machine {
    const char* name;
    double (*step)(double tokens);
};

const Machine machines[] = {
    {"reads its weights and computes almost for nothing", [](double tokens) { return 4000 + 20 * tokens; }},
    {"computes each token for a sixth of the weights", [](double tokens) { return 3400 + 600 * tokens; }},
    {"computes each token for half of the weights", [](double tokens) { return 2700 + 1300 * tokens; }},
    {"computes as long for each token", [](double tokens) { return 1000 * tokens; }},
    {"has kernels for one token and for eight",
     [](double tokens) { return tokens == 1 ? 4000 : 7000 + 500 * std::ceil(tokens / 8); }},
};

struct Readings {
    double seconds = 0;
    std::string text;
};

/// Answers in JSON, one after another, as a server gives them: each begins with what is usual. Of 8 guesses so many are
/// right.
Readings answers(const Machine& machine, unsigned right_of_8, Speculation speculation, int count,
                 std::uint32_t tokens) {
    Bench* running = nullptr;
    engine::scripted::Settings settings{
        .limits = {.context_tokens = 1024, .cells = 2048, .sequences = 8, .slots = 4, .batch_tokens = 64},
        .end_every = 0,
        .forced_right_of_8 = right_of_8};
    settings.intervene = [&](std::span<const engine::BatchToken> batch) {
        running->clock.advance(
            std::chrono::microseconds(static_cast<int>(machine.step(static_cast<double>(batch.size())))));
        return engine::Decoded::done;
    };
    Bench bench(settings, {.speculation = speculation});
    running = &bench;
    Readings readings;
    const auto begin = bench.clock.now();
    for (int answer = 0; answer < count; ++answer) {
        const auto prompt = std::to_string(answer) + ", as JSON";
        const auto sink = bench.add({.id = prompt, .prompt = prompt, .max_tokens = tokens});
        bench.run();
        readings.text += sink->text[0];
    }
    readings.seconds = base::seconds(bench.clock.now() - begin);
    return readings;
}

TEST(Drafting, GuessesOfAFormatNeverCostMoreThanTheyGain) {
    for (const Machine& machine : machines) {
        for (unsigned right_of_8 = 1; right_of_8 <= 8; ++right_of_8) {
            const auto plain = answers(machine, right_of_8, Speculation::off, 8, 70);
            const auto guessed = answers(machine, right_of_8, Speculation::automatic, 8, 70);
            EXPECT_EQ(guessed.text, plain.text);
            EXPECT_LT(guessed.seconds, 1.03 * plain.seconds)
                << "a machine that " << machine.name << ", " << right_of_8 << " of 8 right";
        }
    }
}

TEST(Drafting, GoodGuessesOfAFormatMakeAnswersFasterWhereFurtherTokensAreCheap) {
    const auto plain = answers(machines[1], 8, Speculation::off, 4, 70);
    const auto guessed = answers(machines[1], 8, Speculation::automatic, 4, 70);
    EXPECT_LT(1.5 * guessed.seconds, plain.seconds);
}

}  // namespace
}  // namespace worker::loop
