#include "worker/loop/embedding_line.hpp"

#include <gtest/gtest.h>

#include <random>

#include "worker/loop/loop_fixture.hpp"

namespace worker::loop {
namespace {

using engine::Decoded;
using engine::scripted::ScriptedEmbedder;
using engine::scripted::Settings;
using rpc::contract::CANCELLED;
using rpc::contract::DEADLINE;
using rpc::contract::INTERNAL;

struct EmbeddingBench : Bench {
    using Bench::Bench;

    std::shared_ptr<RecordingSink> embed(const std::string& id, const std::vector<std::string>& texts,
                                         const std::string& tenant = {}, std::optional<base::Duration> time = {}) {
        auto sink = std::make_shared<RecordingSink>();
        EmbeddingOrder order{.id = id, .tenant = tenant, .sink = sink, .arrived = clock.now()};
        order.deadline = time ? clock.now() + *time : base::TimePoint::max();
        for (const std::string& text : texts) {
            order.inputs.push_back(tokens_of(text));
        }
        loop.add(std::move(order));
        return sink;
    }
};

void expect_vectors(const RecordingSink& sink, const std::vector<std::string>& texts) {
    ASSERT_TRUE(sink.finished());
    std::vector<int> seen(texts.size());
    std::uint32_t tokens = 0;
    for (const auto& event : sink.events) {
        if (!event.has_embedding()) {
            continue;
        }
        const auto& result = event.embedding();
        ASSERT_LT(result.index(), texts.size());
        ++seen[result.index()];
        const auto expected = ScriptedEmbedder::vector_of(tokens_of(texts[result.index()]));
        EXPECT_EQ(std::vector<float>(result.values().begin(), result.values().end()), expected);
        EXPECT_EQ(result.tokens(), texts[result.index()].size());
        tokens += result.tokens();
    }
    EXPECT_EQ(seen, std::vector<int>(texts.size(), 1));
    EXPECT_EQ(sink.last()->finished().usage().prompt_tokens(), tokens);
    EXPECT_EQ(sink.after_the_end, 0);
}

TEST(EmbeddingLine, GivesAVectorForEachInput) {
    EmbeddingBench bench;
    const auto sink = bench.embed("e", {"abc", "b"});
    bench.run();
    expect_vectors(*sink, {"abc", "b"});
    EXPECT_TRUE(sink->events.front().has_started());
    EXPECT_EQ(bench.loop.statistics().finished_jobs(), 1U);
    EXPECT_EQ(bench.loop.statistics().prompt_tokens_evaluated(), 4U);
}

TEST(EmbeddingLine, EvaluatesManyShortInputsTogether) {
    EmbeddingBench bench;
    const std::vector<std::string> texts(16, "ab");
    const auto sink = bench.embed("e", texts);
    bench.run();
    expect_vectors(*sink, texts);
    EXPECT_LE(bench.engine.embedder()->evaluations(), 4U);  // four at a time
}

TEST(EmbeddingLine, SpreadsALongInputOverSteps) {
    EmbeddingBench bench;
    const std::string text(60, 'x');
    const auto sink = bench.embed("e", {text});
    bench.run();
    expect_vectors(*sink, {text});
    EXPECT_GE(bench.engine.embedder()->evaluations(), 2U);
    EXPECT_EQ(bench.engine.embedder()->complaint(), "");
}

TEST(EmbeddingLine, DoesNotDivideWhatCannotBeDivided) {
    EmbeddingBench bench(Settings{
        .embedding = {.input_tokens = 64, .batch_tokens = 64, .sequences = 4, .cells = 256, .divisible = false}});
    const std::vector<std::string> texts{std::string(40, 'x'), std::string(30, 'y'), "z"};
    const auto sink = bench.embed("e", texts);
    bench.run();
    expect_vectors(*sink, texts);
    EXPECT_EQ(bench.engine.embedder()->complaint(), "");
    EXPECT_EQ(bench.engine.embedder()->evaluations(), 2U);
}

TEST(EmbeddingLine, TakesTurnsWithAnswers) {
    EmbeddingBench bench;
    const auto chat = bench.add({.id = "chat", .prompt = "hi", .max_tokens = 40, .ignore_end = true});
    const auto sink = bench.embed("e", std::vector<std::string>(40, std::string(30, 'x')));
    int steps = 0;
    while (!chat->last()) {
        bench.loop.step();
        ASSERT_LT(++steps, 60);  // a token with each step: the embeddings did not keep it waiting
    }
    EXPECT_FALSE(sink->events.empty());
    bench.run();
    EXPECT_TRUE(sink->finished());
}

TEST(EmbeddingLine, SharesBetweenTenants) {
    EmbeddingBench bench;
    const auto large = bench.embed("large", std::vector<std::string>(100, std::string(20, 'x')), "one");
    for (int step = 0; step < 5; ++step) {
        bench.loop.step();
    }
    const auto small = bench.embed("small", {"abc"}, "other");
    for (int step = 0; step < 3; ++step) {
        bench.loop.step();
    }
    EXPECT_TRUE(small->finished());
    EXPECT_FALSE(large->last());
}

TEST(EmbeddingLine, DropsWhatIsCancelledOrLate) {
    EmbeddingBench bench;
    const auto cancelled = bench.embed("cancelled", std::vector<std::string>(50, "abcdefgh"));
    const auto late = bench.embed("late", std::vector<std::string>(50, "abcdefgh"), {}, std::chrono::seconds(1));
    const auto other = bench.embed("other", {"abc"});
    bench.loop.step();
    bench.cancellations.request("cancelled");
    bench.clock.advance(std::chrono::seconds(2));
    bench.run();
    EXPECT_EQ(cancelled->failure(), CANCELLED);
    EXPECT_EQ(late->failure(), DEADLINE);
    expect_vectors(*other, {"abc"});
    EXPECT_EQ(bench.engine.embedder()->complaint(), "");
}

TEST(EmbeddingLine, StopsAStepThatServesNobody) {
    EmbeddingBench* running = nullptr;
    EmbeddingBench bench(Settings{.intervene_embedding = [&](auto) {
        running->cancellations.request("e");
        return Decoded::done;
    }});
    running = &bench;
    const auto sink = bench.embed("e", {"abcdef"});
    bench.run();
    EXPECT_EQ(sink->failure(), CANCELLED);
    EXPECT_EQ(sink->events.size(), 2U);  // it began, and no vector came
}

TEST(EmbeddingLine, AFailedStepCostsItsJobsOnly) {
    bool fails = true;
    EmbeddingBench bench(Settings{
        .intervene_embedding = [&](auto) { return std::exchange(fails, false) ? Decoded::failed : Decoded::done; }});
    const auto failed = bench.embed("failed", {"abc"});
    bench.run();
    EXPECT_EQ(failed->failure(), INTERNAL);
    const auto next = bench.embed("next", {"abc"});
    bench.run();
    expect_vectors(*next, {"abc"});
}

TEST(EmbeddingLine, LosesAndMixesNothing) {
    for (unsigned seed = 0; seed < 200; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        std::mt19937 random(seed);
        const bool divisible = random() % 2 == 0;
        EmbeddingBench bench(Settings{.embedding = {.input_tokens = 40,
                                                    .batch_tokens = 40,
                                                    .sequences = 1 + random() % 5,
                                                    .cells = divisible ? 40 + random() % 60 : 400,
                                                    .divisible = divisible}});
        std::vector<std::pair<std::shared_ptr<RecordingSink>, std::vector<std::string>>> jobs;
        std::vector<std::shared_ptr<RecordingSink>> cancelled;
        for (int job = 0; job < 8; ++job) {
            std::vector<std::string> texts(random() % 9);
            for (std::string& text : texts) {
                text.resize(1 + random() % 40);
                std::ranges::generate(text, [&] { return static_cast<char>('a' + random() % 26); });
            }
            const std::string id = std::to_string(job);
            const auto sink = bench.embed(id, texts, std::string(1, static_cast<char>('A' + random() % 3)));
            for (auto steps = random() % 4; steps > 0; --steps) {
                bench.loop.step();
            }
            if (random() % 4 == 0) {
                bench.cancellations.request(id);
                cancelled.push_back(sink);
            } else {
                jobs.emplace_back(sink, texts);
            }
        }
        ASSERT_NE(bench.run(), 0);
        for (const auto& [sink, texts] : jobs) {
            expect_vectors(*sink, texts);
        }
        for (const auto& sink : cancelled) {
            EXPECT_NE(sink->last(), nullptr);
        }
        EXPECT_EQ(bench.engine.embedder()->complaint(), "");
    }
}

}  // namespace
}  // namespace worker::loop
