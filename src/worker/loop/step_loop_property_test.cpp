// Thousands of random jobs arrive, share prefixes, run out of cells and are cancelled; now and then the engine fails.
// In the end every job has heard exactly one last event, every finished answer is the one an undisturbed engine gives,
// every cancelled one a beginning of it, and nothing is held any more.

#include <gtest/gtest.h>

#include <random>

#include "worker/loop/loop_fixture.hpp"

namespace worker::loop {
namespace {

using engine::Decoded;
namespace contract = rpc::contract;

struct Expectation {
    JobSpec spec;
    std::shared_ptr<RecordingSink> sink;
};

class RandomJobs : public testing::TestWithParam<unsigned> {
protected:
    std::mt19937 random{GetParam()};

    std::size_t below(std::size_t limit) { return random() % limit; }

    JobSpec any_job(int number, const engine::Limits& limits) {
        const char* const beginnings[] = {"", "a system prompt that many jobs share. ",
                                          "another beginning of a prompt, "};
        JobSpec spec{.id = std::to_string(number), .prompt = beginnings[below(3)]};
        if (below(4) == 0) {
            spec.prompt += std::string(below(limits.context_tokens / 2), 'l');
        }
        spec.prompt += "question " + std::to_string(below(20));
        spec.max_tokens = below(5) == 0 ? std::nullopt : std::optional(static_cast<std::uint32_t>(below(40)));
        spec.seed = static_cast<std::uint32_t>(below(1000));
        spec.choices = below(6) == 0 ? 1 + static_cast<std::uint32_t>(below(6)) : 1;
        spec.ignore_end = below(8) == 0;
        spec.logprobs = below(8) == 0;
        spec.priority = static_cast<std::int32_t>(below(3)) - 1;
        spec.tenant = std::string(1, static_cast<char>('a' + below(3)));
        spec.salt = below(4) == 0 ? "salt" : "";
        return spec;
    }
};

std::string undisturbed(const JobSpec& spec, std::uint32_t choice, const engine::Limits& limits, unsigned end_every) {
    const auto room = limits.context_tokens - spec.prompt.size();
    const std::size_t most = std::min<std::size_t>(room, spec.max_tokens.value_or(static_cast<std::uint32_t>(room)));
    return text_of(engine::scripted::expected_answer(tokens_of(spec.prompt), spec.seed + choice, most,
                                                     spec.ignore_end ? 0 : end_every));
}

TEST_P(RandomJobs, AreNeverLostDoubledOrMixedUp) {
    const std::size_t slots = 1 + below(6);
    const std::size_t context = 80 + below(120);
    engine::scripted::Settings settings{.limits = {.context_tokens = context,
                                                   .cells = context + below(3 * context),
                                                   .sequences = slots + below(10),
                                                   .slots = slots,
                                                   .batch_tokens = std::max<std::size_t>(slots, 8 + below(60)),
                                                   .restore_cells = below(20)},
                                        .can_go_back = below(5) != 0,
                                        .end_every = static_cast<unsigned>(5 + below(40))};
    const bool faults = below(3) == 0;
    settings.intervene = [this, faults](auto) {
        return faults && below(60) == 0 ? (below(2) == 0 ? Decoded::failed : Decoded::no_room) : Decoded::done;
    };
    const auto limits = settings.limits;
    const auto end_every = settings.end_every;
    // In bytes; a token of the scripted engine takes four.
    Bench bench(std::move(settings), {.archive = {.memory_bytes = below(3) == 0 ? 0 : below(8 * context)}});
    std::vector<Expectation> jobs;
    for (int number = 0; number < 60; ++number) {
        const auto spec = any_job(number, limits);
        jobs.push_back({.spec = spec, .sink = bench.add(spec)});
        for (auto steps = below(12); steps > 0; --steps) {
            bench.loop.step();
        }
        if (below(6) == 0) {
            const auto& victim = jobs[below(jobs.size())];
            if (victim.sink->last() == nullptr) {
                bench.cancellations.request(victim.spec.id);
            }
        }
    }
    ASSERT_GT(bench.run(), 0) << "the jobs never end";
    EXPECT_EQ(bench.engine.complaint(), "");
    for (const Expectation& job : jobs) {
        ASSERT_NE(job.sink->last(), nullptr) << job.spec.id;
        EXPECT_EQ(job.sink->after_the_end, 0);
        if (job.spec.prompt.size() >= limits.context_tokens) {
            EXPECT_EQ(job.sink->failure(), contract::CONTEXT_LENGTH);
            continue;
        }
        for (std::uint32_t choice = 0; choice < job.spec.choices; ++choice) {
            const std::string whole = undisturbed(job.spec, choice, limits, end_every);
            const std::string& got = job.sink->text[choice];
            if (job.sink->finished()) {
                EXPECT_EQ(got, whole) << job.spec.id;
                EXPECT_TRUE(job.sink->reasons.contains(choice));
            } else {
                EXPECT_EQ(got, whole.substr(0, got.size())) << job.spec.id;
            }
        }
        if (!job.sink->finished()) {
            const auto code = job.sink->failure();
            EXPECT_TRUE(code == contract::CANCELLED || (faults && code == contract::INTERNAL)) << code;
        }
    }
    const auto statistics = bench.loop.statistics();
    EXPECT_EQ(statistics.slots_busy(), 0U);
    EXPECT_EQ(statistics.waiting_jobs(), 0U);
    EXPECT_EQ(statistics.finished_jobs() + statistics.failed_jobs() + statistics.cancelled_jobs(), jobs.size());
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomJobs, testing::Range(0U, 60U));

}  // namespace
}  // namespace worker::loop
