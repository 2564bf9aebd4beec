// Thousands of random jobs arrive, share prefixes, use adapters, guess their next tokens, run out of cells, are cancelled between steps
// and within them; now and then the engine fails. After every step the books about memory are those of the engine. In the
// end every job has heard exactly one last event, every finished answer is the one an undisturbed engine gives, every
// cancelled one a beginning of it, usage counts what was done, and nothing is held any more.

#include <gtest/gtest.h>

#include <filesystem>
#include <random>

#include "base/temporary_folder.hpp"
#include "worker/loop/loop_fixture.hpp"

namespace worker::loop {
namespace {

using engine::Decoded;
namespace contract = rpc::contract;

struct Expectation {
    JobSpec spec;
    std::shared_ptr<RecordingSink> sink;
};

/// What one answer should be.
struct WholeAnswer {
    std::string text;
    std::uint32_t tokens = 0;
    contract::FinishReason reason = contract::LENGTH;
};

std::uint32_t seed_of_choice(JobSpec spec, std::uint32_t choice) {
    spec.seed += choice;
    return seed_of(spec);
}

WholeAnswer undisturbed(const JobSpec& spec, std::uint32_t choice, const engine::scripted::Settings& script) {
    const auto room = script.limits.context_tokens - spec.prompt.size();
    const std::size_t most = std::min<std::size_t>(room, spec.max_tokens.value_or(static_cast<std::uint32_t>(room)));
    const auto tokens =
        engine::scripted::expected_answer(tokens_of(spec.prompt), seed_of_choice(spec, choice), most,
                                          spec.ignore_end ? 0 : script.end_every, script.repeats_of_8, spec.min_tokens);
    WholeAnswer whole{.text = text_of(tokens), .tokens = static_cast<std::uint32_t>(tokens.size())};
    if (tokens.size() < most) {
        ++whole.tokens;  // the end
        whole.reason = contract::STOP;
    }
    for (const std::string& stop : spec.stop) {
        if (const auto found = whole.text.find(stop); found != std::string::npos) {
            whole = {.text = whole.text.substr(0, found),
                     .tokens = static_cast<std::uint32_t>(found + stop.size()),
                     .reason = contract::STOP};
        }
    }
    return whole;
}

class RandomJobs : public testing::TestWithParam<unsigned> {
protected:
    std::mt19937 random{GetParam()};

    std::size_t below(std::size_t limit) { return random() % limit; }
    bool one_in(std::size_t count) { return below(count) == 0; }

    JobSpec any_job(int number, const engine::scripted::Settings& script) {
        const char* const beginnings[] = {"", "a system prompt that many jobs share. ",
                                          "another beginning of a prompt, "};
        JobSpec spec{.id = std::to_string(number), .prompt = beginnings[below(3)]};
        if (one_in(4)) {
            spec.prompt += std::string(below(script.limits.context_tokens / 2), 'l');
        }
        spec.prompt += "question " + std::to_string(below(20));
        spec.max_tokens = one_in(5) ? std::nullopt : std::optional(static_cast<std::uint32_t>(below(40)));
        spec.seed = static_cast<std::uint32_t>(below(1000));
        spec.choices = one_in(6) ? 1 + static_cast<std::uint32_t>(below(6)) : 1;
        spec.ignore_end = one_in(8);
        spec.min_tokens = one_in(8) ? static_cast<std::uint32_t>(below(20)) : 0;
        spec.logprobs = one_in(8);
        spec.priority = static_cast<std::int32_t>(below(3)) - 1;
        spec.tenant = std::string(1, static_cast<char>('a' + below(3)));
        spec.salt = one_in(4) ? "salt" : "";
        if (!script.adapters.empty() && one_in(2)) {
            spec.adapter = script.adapters[below(script.adapters.size())];
            spec.adapter_scale = one_in(3) ? 0.5F : 1;
        }
        if (one_in(6)) {
            spec.stop = {std::string{static_cast<char>('a' + below(26)), static_cast<char>('a' + below(26))}};
        }
        if (one_in(4) && spec.prompt.size() < script.limits.context_tokens) {
            spec.prediction = undisturbed(spec, 0, script).text;
            if (!spec.prediction.empty() && one_in(2)) {
                spec.prediction.erase(below(spec.prediction.size()), 1 + below(3));
            }
        }
        return spec;
    }

    engine::scripted::Settings any_engine() {
        const std::size_t slots = 1 + below(6);
        const std::size_t context = 80 + below(120);
        return {.limits = {.context_tokens = context,
                           .cells = context + below(3 * context),
                           .sequences = slots + below(10),
                           .slots = slots,
                           .batch_tokens = std::max<std::size_t>(slots, 8 + below(60)),
                           .outputs = slots + below(12),
                           .restore_cells = below(20),
                           .shared_block = one_in(2) ? 1 : 1 + below(24)},
                .can_go_back = !one_in(5),
                .end_every = static_cast<unsigned>(5 + below(40)),
                .repeats_of_8 = static_cast<unsigned>(below(8)),
                .forced_right_of_8 = one_in(3) ? static_cast<unsigned>(below(9)) : 0,
                .draft_right_of_8 = one_in(3) ? static_cast<unsigned>(below(9)) : 0,
                .adapters = one_in(2) ? std::vector<std::string>{"legal", "poems"} : std::vector<std::string>{}};
    }
};

void check(const Expectation& job, const engine::scripted::Settings& script) {
    std::uint32_t tokens = 0;
    for (std::uint32_t choice = 0; choice < job.spec.choices; ++choice) {
        const auto whole = undisturbed(job.spec, choice, script);
        const std::string& got = job.sink->text[choice];
        tokens += whole.tokens;
        if (!job.sink->finished()) {
            EXPECT_EQ(got, whole.text.substr(0, got.size())) << job.spec.id;
            continue;
        }
        EXPECT_EQ(got, whole.text) << job.spec.id;
        EXPECT_EQ(job.sink->reasons[choice], whole.reason) << job.spec.id;
        if (job.spec.logprobs) {
            EXPECT_EQ(job.sink->told[choice], got) << job.spec.id;
        }
    }
    if (job.sink->finished()) {
        const auto& usage = job.sink->last()->finished().usage();
        EXPECT_EQ(usage.prompt_tokens(), job.spec.prompt.size());
        EXPECT_LT(usage.cached_tokens(), usage.prompt_tokens());
        EXPECT_EQ(usage.completion_tokens(), tokens) << job.spec.id;
        EXPECT_LE(usage.accepted_tokens(), usage.drafted_tokens());
        EXPECT_LE(usage.accepted_tokens(), usage.completion_tokens());
        EXPECT_LE(usage.accepted_prediction_tokens() + usage.rejected_prediction_tokens(), usage.drafted_tokens());
    }
}

TEST_P(RandomJobs, AreNeverLostDoubledOrMixedUp) {
    auto settings = any_engine();
    const auto speculation = one_in(4) ? Speculation::off : Speculation::automatic;
    const bool faults = one_in(3);
    const auto token_microseconds = static_cast<int>(below(2500));
    Bench* running = nullptr;
    std::vector<Expectation> jobs;
    settings.intervene = [&](std::span<const engine::BatchToken> batch) {
        running->clock.advance(std::chrono::microseconds(5000 + token_microseconds * static_cast<int>(batch.size())));
        if (one_in(40)) {
            const auto& victim = jobs[below(jobs.size())];
            if (victim.sink->last() == nullptr) {
                running->cancellations.request(victim.spec.id);  // within a step: it stops early
            }
        }
        return faults && one_in(60) ? (one_in(2) ? Decoded::failed : Decoded::no_room) : Decoded::done;
    };
    // In bytes; a token of the scripted engine takes four.
    const std::size_t kept = one_in(3) ? 0 : below(8 * settings.limits.context_tokens);
    std::optional<base::TemporaryFolder> folder;
    std::shared_ptr<spill::StateFolder> files;
    if (one_in(4)) {
        files = *spill::StateFolder::open(folder.emplace() / "states", {});
    }
    Bench bench(settings, {.archive = {.memory_bytes = kept, .disk_bytes = files ? below(1 << 16) : 0, .folder = files},
                           .speculation = speculation,
                           .sampling_helpers = below(3),
                           .worth_helping = {}});
    running = &bench;
    if (one_in(2)) {
        bench.loop.add(PinOrder{.tokens = tokens_of("a system prompt that many jobs share. ")});
    }
    const auto step = [&] {
        const bool more = bench.step();
        EXPECT_EQ(bench.loop.statistics().kv_cells_used(), bench.engine.used_cells());
        return more;
    };
    for (int number = 0; number < 60; ++number) {
        const auto spec = any_job(number, settings);
        jobs.push_back({.spec = spec, .sink = bench.add(spec)});
        for (auto steps = below(12); steps > 0; --steps) {
            step();
        }
        if (one_in(6)) {
            const auto& victim = jobs[below(jobs.size())];
            if (victim.sink->last() == nullptr) {
                bench.cancellations.request(victim.spec.id);
            }
        }
    }
    for (int steps = 0; step(); ++steps) {
        ASSERT_LT(steps, 100'000) << "the jobs never end";
    }
    EXPECT_EQ(bench.engine.complaint(), "");
    std::uint64_t drafted = 0;
    for (const Expectation& job : jobs) {
        ASSERT_NE(job.sink->last(), nullptr) << job.spec.id;
        EXPECT_EQ(job.sink->after_the_end, 0);
        if (job.spec.prompt.size() >= settings.limits.context_tokens) {
            EXPECT_EQ(job.sink->failure(), contract::CONTEXT_LENGTH);
            continue;
        }
        check(job, settings);
        if (job.sink->finished()) {
            drafted += job.sink->last()->finished().usage().drafted_tokens();
        } else {
            const auto code = job.sink->failure();
            EXPECT_TRUE(code == contract::CANCELLED || (faults && code == contract::INTERNAL)) << code;
        }
    }
    const auto statistics = bench.loop.statistics();
    EXPECT_EQ(statistics.slots_busy(), 0U);
    EXPECT_EQ(statistics.waiting_jobs(), 0U);
    EXPECT_EQ(statistics.finished_jobs() + statistics.failed_jobs() + statistics.cancelled_jobs(), jobs.size());
    std::uint64_t drafted_by_all = 0;
    for (const auto& source : statistics.drafts()) {
        EXPECT_LE(source.accepted(), source.drafted());
        drafted_by_all += source.drafted();
    }
    EXPECT_LE(drafted, drafted_by_all);
    if (speculation == Speculation::off || !settings.can_go_back) {
        EXPECT_EQ(drafted_by_all, 0U);
    }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomJobs, testing::Range(0U, 100U));

}  // namespace
}  // namespace worker::loop
