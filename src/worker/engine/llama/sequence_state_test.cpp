// With real models: a sequence that was saved, forgotten and put back is continued as if nothing had happened.

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "worker/engine/kernels.hpp"
#include "worker/engine/llama/load.hpp"

namespace worker::engine::llama {
namespace {

std::filesystem::path model_folder() {
    if (const char* cache = std::getenv("LLM_GATEWAY_CACHE")) {
        return std::filesystem::path(cache) / "models";
    }
    const char* home = std::getenv("HOME");
    return std::filesystem::path(home == nullptr ? "/root" : home) / ".cache/llm-gateway/models";
}

struct Case {
    const char* file;
    CacheType cache_type;
    FlashAttention flash_attention;
};

void PrintTo(const Case& each, std::ostream* out) {
    *out << each.file << ", type " << static_cast<int>(each.cache_type) << ", attention "
         << static_cast<int>(each.flash_attention);
}

base::Result<std::unique_ptr<TextEngine>> load_model(const Case& each) {
    static const auto kernels = load_kernels(ENGINE_LIBRARIES);
    return load({.model = (model_folder() / each.file).string(),
                 .context = 2048,
                 .slots = 4,
                 .threads = 1,
                 .cache_type = each.cache_type,
                 .flash_attention = each.flash_attention},
                *kernels, [](double) {});
}

class SavedSequences : public testing::TestWithParam<Case> {
protected:
    void SetUp() override {
        if (!std::filesystem::exists(model_folder() / GetParam().file)) {
            GTEST_SKIP() << GetParam().file << " is not in " << model_folder() << "; models/fetch.py gets it";
        }
        auto loaded = load_model(GetParam());
        ASSERT_TRUE(loaded) << loaded.error().message;
        engine = std::move(*loaded);
        std::string text;
        for (int line = 0; line < 60; ++line) {
            text += "Line " + std::to_string(line * line) + " of a text that goes on and on.\n";
        }
        contract::TextJob job;
        job.set_text(text);
        job.mutable_sampling()->set_temperature(0);
        auto prepared = engine->prepare(job);
        ASSERT_TRUE(prepared);
        prompt = prepared->prompt;
        answer = std::move(prepared->answers.front());
    }

    void evaluate(Sequence sequence, std::span<const Token> tokens, std::size_t from) {
        std::vector<BatchToken> batch;
        for (std::size_t position = from; position < tokens.size(); ++position) {
            batch.push_back({.token = tokens[position],
                             .sequence = sequence,
                             .position = static_cast<std::int32_t>(position),
                             .output = position + 1 == tokens.size()});
            if (batch.size() == engine->limits().batch_tokens || position + 1 == tokens.size()) {
                ASSERT_EQ(engine->decode(batch, never), Decoded::done);
                last = batch.size() - 1;
                batch.clear();
            }
        }
    }

    /// The next tokens, greedily. The last token of `tokens` is not evaluated yet.
    std::vector<Token> continued(Sequence sequence, std::vector<Token> tokens, int count) {
        std::vector<Token> said;
        for (int each = 0; each < count; ++each) {
            evaluate(sequence, tokens, tokens.size() - 1);
            said.push_back(answer->sample(last, true));
            tokens.push_back(said.back());
        }
        return said;
    }

    std::unique_ptr<TextEngine> engine;
    std::vector<Token> prompt;
    std::unique_ptr<Answer> answer;
    const std::atomic<bool> never = false;
    std::size_t last = 0;
};

TEST_P(SavedSequences, GoOnAsIfNothingHadHappened) {
    const std::span<const Token> evaluated(prompt.data(), prompt.size() - 1);
    ASSERT_GT(evaluated.size(), 600U);
    evaluate(0, evaluated, 0);
    engine->copy(0, 1, evaluated.size());
    const auto undisturbed = continued(1, prompt, 24);
    engine->clear(1);

    const auto head = engine->save(0, 0, 300);
    const auto tail = engine->save(0, 290, evaluated.size());
    ASSERT_TRUE(head && tail);
    engine->clear(0);
    // Others take the cells in between, in pieces.
    for (Sequence other = 2; other < 6; ++other) {
        evaluate(other, std::span(prompt).subspan(0, 40 + 10 * static_cast<std::size_t>(other)), 0);
    }
    engine->clear(3);
    ASSERT_TRUE(engine->restore(7, 0, 295, head->view(), 0));
    ASSERT_TRUE(engine->restore(7, 295, evaluated.size(), tail->view(), 290));
    EXPECT_EQ(engine->reusable(7, evaluated.size()), evaluated.size());
    EXPECT_EQ(engine->reusable(7, 100), 100U);
    EXPECT_EQ(continued(7, prompt, 24), undisturbed);
}

TEST_P(SavedSequences, DoNotDisturbTheirNeighbours) {
    const std::vector<Token> theirs(prompt.begin(), prompt.begin() + 200);
    evaluate(0, std::span(theirs).first(199), 0);
    engine->copy(0, 1, 199);
    const auto undisturbed = continued(1, theirs, 16);
    engine->clear(1);
    evaluate(2, std::span(prompt).first(500), 0);
    const auto state = engine->save(2, 0, 500);
    ASSERT_TRUE(state);
    engine->clear(2);
    ASSERT_TRUE(engine->restore(3, 0, 400, state->view(), 0));
    EXPECT_EQ(continued(0, theirs, 16), undisturbed);
}

TEST_P(SavedSequences, AreNotRestoredFromAnythingElse) {
    evaluate(0, std::span(prompt).first(100), 0);
    const auto state = engine->save(0, 0, 100);
    ASSERT_TRUE(state);
    EXPECT_FALSE(engine->restore(1, 0, 100, state->view().first(state->size / 2), 0));
    EXPECT_EQ(engine->reusable(1, 1), 0U);
    EXPECT_FALSE(engine->restore(1, 0, 200, state->view(), 0));
    EXPECT_TRUE(engine->restore(1, 0, 100, state->view(), 0));
}

INSTANTIATE_TEST_SUITE_P(Models, SavedSequences,
                         testing::Values(Case{"SmolLM2-135M-Instruct.Q4_1.gguf", CacheType::f16, FlashAttention::on},
                                         Case{"SmolLM2-135M-Instruct.Q4_1.gguf", CacheType::f16, FlashAttention::off},
                                         Case{"SmolLM2-135M-Instruct.Q4_1.gguf", CacheType::q8_0, FlashAttention::on},
                                         Case{"SmolLM2-135M-Instruct.Q4_1.gguf", CacheType::q4_0,
                                              FlashAttention::automatic},
                                         Case{"gemma-3-270m-q4_k_m.gguf", CacheType::f16, FlashAttention::on},
                                         Case{"gemma-3-270m-q4_k_m.gguf", CacheType::q8_0, FlashAttention::on}));

TEST(Load, RefusesAQuantisedCacheWithoutFlashAttention) {
    const Case wrong{"SmolLM2-135M-Instruct.Q4_1.gguf", CacheType::q8_0, FlashAttention::off};
    if (!std::filesystem::exists(model_folder() / wrong.file)) {
        GTEST_SKIP() << wrong.file << " is not there; models/fetch.py gets it";
    }
    const auto loaded = load_model(wrong);
    ASSERT_FALSE(loaded);
    EXPECT_NE(loaded.error().message.find("flash attention"), std::string::npos) << loaded.error().message;
}

}  // namespace
}  // namespace worker::engine::llama
