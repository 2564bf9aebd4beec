/// Prompts with media in the step loop.

#include <gtest/gtest.h>

#include "worker/loop/loop_fixture.hpp"

namespace worker::loop {
namespace {

using engine::scripted::Settings;

constexpr engine::Limits roomy = {.context_tokens = 256, .cells = 1024, .sequences = 8, .slots = 4, .batch_tokens = 32};

/// A prompt: texts, and `#` before what is a picture.
std::vector<std::string> parts(std::initializer_list<std::string> list) {
    return list;
}

/// A bench with media in its prompts; answers are checked against the script.
struct MediaBench : Bench {
    explicit MediaBench(Settings settings = {.limits = roomy}) : Bench(settings), script(settings) {}

    struct Asked {
        std::shared_ptr<RecordingSink> sink;
        std::vector<engine::Token> prompt;
    };

    Asked ask(const std::vector<std::string>& prompt, const JobSpec& spec = {.max_tokens = 8}) {
        engine::contract::TextJob job;
        job.set_choices(spec.choices);
        job.set_prediction(spec.prediction);
        auto& message = *job.mutable_chat()->add_messages();
        for (const std::string& part : prompt) {
            if (part.starts_with('#')) {
                message.add_content()->mutable_image()->set_data(part);
            } else {
                message.add_content()->set_text(part);
            }
        }
        auto prepared = engine.prepare(job).value();
        Asked asked{.sink = std::make_shared<RecordingSink>(), .prompt = prepared.prompt};
        loop.add(TextOrder{.id = spec.id,
                           .priority = spec.priority,
                           .salt = spec.salt,
                           .max_tokens = spec.max_tokens,
                           .report_prompt_progress = true,
                           .prepared = std::move(prepared),
                           .sink = asked.sink,
                           .arrived = clock.now()});
        return asked;
    }

    /// The same, done.
    Asked answered(const std::vector<std::string>& prompt, const JobSpec& spec = {.max_tokens = 8}) {
        Asked asked = ask(prompt, spec);
        EXPECT_NE(run(), 0);
        return asked;
    }

    void expect_right(const Asked& asked, std::uint32_t choice = 0, std::size_t most = 8) {
        EXPECT_EQ(engine.complaint(), "");
        ASSERT_TRUE(asked.sink->finished());
        const auto expected =
            engine::scripted::expected_answer(asked.prompt, choice, most, script.end_every, script.repeats_of_8);
        EXPECT_EQ(asked.sink->text[choice], text_of(expected));
    }

    static std::uint32_t cached(const Asked& asked) { return asked.sink->last()->finished().usage().cached_tokens(); }

    Settings script;
};

TEST(MediaInPrompts, AreEvaluatedInTheirPlaceAndCounted) {
    MediaBench bench;
    const auto asked = bench.answered(parts({"what is ", "#a picture", " and ", "#another one", "?"}));
    bench.expect_right(asked);
    EXPECT_EQ(bench.engine.evaluated_media(), 2U);
    EXPECT_EQ(asked.sink->last()->finished().usage().prompt_tokens(), asked.prompt.size());
}

TEST(MediaInPrompts, MayComeFirstAndLast) {
    MediaBench bench;
    const auto first = bench.ask(parts({"#a picture", "text"}));
    const auto last = bench.ask(parts({"text", "#a picture"}), {.id = "last", .max_tokens = 8});
    const auto alone = bench.ask(parts({"#something else"}), {.id = "alone", .max_tokens = 8});
    ASSERT_NE(bench.run(), 0);
    bench.expect_right(first);
    bench.expect_right(last);
    bench.expect_right(alone);
}

TEST(MediaInPrompts, MayBeLargerThanABatch) {
    MediaBench bench;
    const auto asked = bench.answered(parts({"see ", "#" + std::string(99, 'x'), " there"}));
    bench.expect_right(asked);
}

TEST(MediaInPrompts, AreTakenFromMemoryTheSecondTime) {
    MediaBench bench;
    const auto first = bench.answered(parts({"what is ", "#a picture", " there?"}));
    const auto second = bench.answered(parts({"what is ", "#a picture", " there?"}));
    bench.expect_right(second);
    EXPECT_EQ(MediaBench::cached(first), 0U);
    EXPECT_EQ(MediaBench::cached(second), second.prompt.size() - 1);
    EXPECT_EQ(bench.engine.evaluated_media(), 1U);
}

TEST(MediaInPrompts, OfTwoConversationsAtOnceAreEvaluatedOnce) {
    MediaBench bench;
    const auto first = bench.ask(parts({"what is this picture: ", "#a picture", " Is it blue?"}));
    const auto second =
        bench.ask(parts({"what is this picture: ", "#a picture", " Or green?"}), {.id = "second", .max_tokens = 8});
    ASSERT_NE(bench.run(), 0);
    bench.expect_right(first);
    bench.expect_right(second);
    EXPECT_EQ(bench.engine.evaluated_media(), 1U);
}

TEST(MediaInPrompts, ThatDifferShareOnlyWhatIsBeforeThem) {
    MediaBench bench;
    const auto first = bench.answered(parts({"what is this picture: ", "#a picture", "?"}));
    const auto second = bench.answered(parts({"what is this picture: ", "#b picture", "?"}));
    bench.expect_right(second);
    EXPECT_EQ(MediaBench::cached(second), 22U);
    EXPECT_NE(first.sink->text[0], second.sink->text[0]);
}

TEST(MediaInPrompts, OfDifferentSaltsAreEncodedForEach) {
    MediaBench bench;
    const auto first = bench.answered(parts({"#a picture", "?"}), {.id = "first", .max_tokens = 8, .salt = "one"});
    const auto second = bench.answered(parts({"#a picture", "?"}), {.id = "second", .max_tokens = 8, .salt = "other"});
    EXPECT_EQ(MediaBench::cached(second), 0U);
    EXPECT_EQ(bench.engine.encoded_media(), 2U);
}

TEST(MediaInPrompts, WhileOneIsEncodedStreamsGoOn) {
    MediaBench bench({.limits = roomy, .end_every = 0, .encode_calls = 10});
    const auto stream = bench.ask(parts({"a long story"}), {.id = "stream", .max_tokens = 40});
    for (int step = 0; step < 3; ++step) {
        bench.step();
    }
    const auto before = stream.sink->text[0].size();
    const auto picture = bench.ask(parts({"#a picture", "?"}), {.id = "picture", .max_tokens = 8});
    for (int step = 0; step < 9; ++step) {
        bench.step();
    }
    EXPECT_EQ(bench.engine.evaluated_media(), 0U);
    EXPECT_GE(stream.sink->text[0].size(), before + 9);
    ASSERT_NE(bench.run(), 0);
    bench.expect_right(stream, 0, 40);
    bench.expect_right(picture);
}

TEST(MediaInPrompts, OfAJobThatIsCancelledAreNotEvaluated) {
    MediaBench bench({.limits = roomy, .encode_calls = 10});
    const auto picture = bench.ask(parts({"#a picture", "?"}));
    bench.step();
    bench.cancellations.request("job");
    ASSERT_NE(bench.run(), 0);
    EXPECT_EQ(picture.sink->failure(), engine::contract::CANCELLED);
    EXPECT_EQ(bench.engine.evaluated_media(), 0U);
    const auto next = bench.answered(parts({"#another", "?"}), {.id = "next", .max_tokens = 8});
    bench.expect_right(next);
}

TEST(MediaInPrompts, AreSharedByTheAnswersOfAJob) {
    MediaBench bench;
    const auto asked = bench.answered(parts({"what is ", "#a picture", "?"}), {.max_tokens = 8, .choices = 3});
    for (std::uint32_t choice = 0; choice < 3; ++choice) {
        bench.expect_right(asked, choice);
    }
    EXPECT_EQ(bench.engine.evaluated_media(), 1U);
}

// Answers repeat what stood seven tokens before them, so that text around a picture is guessed from.
TEST(MediaInPrompts, AreNeverGuessed) {
    MediaBench bench({.limits = roomy, .end_every = 0, .forced_right_of_8 = 4});
    const auto asked =
        bench.ask(parts({"abcabcabc", "#a picture", "abcabcabc"}), {.max_tokens = 64, .prediction = "abcabc"});
    ASSERT_NE(bench.run(), 0);
    bench.expect_right(asked, 0, 64);
}

TEST(MediaInPrompts, GiveWayInAFullMemoryAndComeBack) {
    MediaBench bench({.limits = {.context_tokens = 96, .cells = 96, .sequences = 8, .slots = 4, .batch_tokens = 16},
                      .end_every = 0});
    std::vector<MediaBench::Asked> asked;
    for (const char* file : {"#a picture of a house", "#a picture of a tree", "#a picture of the sea"}) {
        asked.push_back(bench.ask(parts({"see ", file, " and say"}), {.id = file, .max_tokens = 30}));
    }
    ASSERT_NE(bench.run(), 0);
    for (const auto& each : asked) {
        bench.expect_right(each, 0, 30);
    }
}

TEST(MediaInPrompts, AreKeptWholeByMemoryThatIsAState) {
    MediaBench bench({.limits = roomy, .can_go_back = false});
    for (int turn = 0; turn < 3; ++turn) {
        const auto asked = bench.ask(parts({"what is ", "#a picture", turn == 0 ? "?" : "? Say it again."}));
        ASSERT_NE(bench.run(), 0);
        bench.expect_right(asked);
    }
}

}  // namespace
}  // namespace worker::loop
