// With a real model, which `./dev test unit` fetches. The model drafts for itself: what it drafts must be what it says.

#include "worker/engine/llama/draft_model.hpp"

#include <gtest/gtest.h>

#include "worker/engine/llama/real_model.hpp"

namespace worker::engine::llama {
namespace {

constexpr const char* smollm = "SmolLM2-135M-Instruct.Q4_1.gguf";

class DraftModelTest : public testing::Test {
protected:
    // Loading takes longer than all tests; each of them uses texts of its own.
    static void SetUpTestSuite() {
        auto loaded = load_model({.context = 512, .draft_model = smollm});
        ASSERT_TRUE(loaded) << loaded.error().message;
        engine = std::move(*loaded);
        model = engine->draft_model();
    }
    static void TearDownTestSuite() { engine.reset(); }
    void SetUp() override { ASSERT_NE(model, nullptr); }

    std::vector<Token> tokens_of(const std::string& text) {
        contract::TextJob job;
        job.set_text(text);
        job.mutable_sampling()->set_temperature(0);
        return engine->prepare(job)->prompt;
    }

    std::vector<Token> draft(Sequence sequence, const std::vector<Token>& tokens, std::size_t most = 6) {
        const DraftModel::Request request{.sequence = sequence, .tokens = tokens, .most = most};
        return model->draft({&request, 1}).front();
    }

    static inline std::unique_ptr<TextEngine> engine;
    static inline DraftModel* model = nullptr;
};

TEST_F(DraftModelTest, DraftsWhatTheModelIsSureOf) {
    const auto counting = tokens_of("one two three four one two three four one two three four one two");
    const auto whole = tokens_of("one two three four one two three four one two three four one two three four one");
    const auto drafted = draft(0, counting, 3);
    ASSERT_FALSE(drafted.empty());
    ASSERT_LE(drafted.size(), 3U);
    EXPECT_TRUE(std::ranges::equal(drafted, std::span(whole).subspan(counting.size(), drafted.size())));
    EXPECT_TRUE(draft(0, counting, 0).empty());
}

TEST_F(DraftModelTest, GoesOnFromWhatItHasRead) {
    auto text = tokens_of("The capital of France is Paris, and the capital of Germany is");
    EXPECT_EQ(model->missing(2, text), text.size());
    draft(2, text);
    EXPECT_EQ(model->missing(2, text), 1U);
    auto other_end = text;
    other_end.back() += 1;
    other_end.push_back(7);
    EXPECT_EQ(model->missing(2, other_end), 2U);
    EXPECT_EQ(draft(2, text), draft(3, text)) << "a sequence that went back drafts like one that is new";
}

TEST_F(DraftModelTest, ReadsACommonBeginningOnce) {
    std::string beginning;
    for (int line = 0; line < 20; ++line) {
        beginning += "Rule " + std::to_string(line) + " says something. ";
    }
    const auto one = tokens_of(beginning + "What about rivers?");
    const auto other = tokens_of(beginning + "And what about mountains?");
    for (std::size_t before = 0; model->missing(0, one) > 1; before = model->missing(0, one)) {
        model->catch_up(0, one, 64);
        ASSERT_NE(model->missing(0, one), before);
    }
    EXPECT_LT(model->missing(1, other), 12U);
    const auto alone = draft(5, other);
    EXPECT_EQ(draft(1, other), alone);
}

TEST_F(DraftModelTest, SeveralAtOnceGetWhatEachGetsAlone) {
    const std::vector<std::vector<Token>> texts = {tokens_of("a b c d a b c d a b c"), tokens_of("1 2 3 4 5 6 7 8 9"),
                                                   tokens_of("red green red green red")};
    std::vector<DraftModel::Request> requests;
    for (const auto& text : texts) {
        requests.push_back({.sequence = static_cast<Sequence>(requests.size()), .tokens = text, .most = 2});
    }
    const auto together = model->draft(requests);
    for (std::size_t index = 0; index < texts.size(); ++index) {
        EXPECT_EQ(together[index], draft(static_cast<Sequence>(10 + index), texts[index], 2)) << index;
    }
}

TEST_F(DraftModelTest, ForgetsTheLongestUnusedWhenItsMemoryIsFull) {
    std::string filler;
    for (int line = 0; line < 25; ++line) {
        filler += "Sentence " + std::to_string(line) + " fills the memory. ";
    }
    for (Sequence sequence = 0; sequence < 12; ++sequence) {
        const auto text = tokens_of("Text number " + std::to_string(sequence) + ": " + filler + "a b c a b c a b");
        EXPECT_FALSE(draft(sequence, text).empty()) << sequence;
        EXPECT_EQ(model->missing(sequence, text), 1U);
    }
}

TEST(LoadDraftModel, RefusesAnotherVocabulary) {
    const auto loaded = load_model({.context = 256, .draft_model = "gemma-3-270m-q4_k_m.gguf"});
    ASSERT_FALSE(loaded);
    EXPECT_NE(loaded.error().message.find("cannot draft for this model"), std::string::npos) << loaded.error().message;
}

TEST(LoadDraftModel, SaysWhatIsNotThere) {
    const auto loaded = load_model({.context = 256, .draft_model = "nothing.gguf"});
    ASSERT_FALSE(loaded);
    EXPECT_NE(loaded.error().message.find("does not exist"), std::string::npos) << loaded.error().message;
}

}  // namespace
}  // namespace worker::engine::llama
