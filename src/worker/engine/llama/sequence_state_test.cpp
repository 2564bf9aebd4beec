// With real models, which `./dev test unit` fetches: what was saved, forgotten and put back is the same to the last bit.

#include <gtest/gtest.h>

#include "worker/engine/llama/real_model.hpp"

namespace worker::engine::llama {
namespace {

class SavedSequences : public testing::TestWithParam<RealModel> {
protected:
    void SetUp() override {
        auto loaded = load_model(GetParam());
        ASSERT_TRUE(loaded) << loaded.error().message;
        engine = std::move(*loaded);
        prompt = prepare_long_text(*engine).prompt;
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
                batch.clear();
            }
        }
    }

    /// What the engine has of a sequence, as bytes; in the order of cells, which is that of positions.
    std::string memory_of(Sequence sequence, std::size_t tokens) {
        const auto state = engine->save(sequence, 0, tokens);
        EXPECT_TRUE(state);
        return {reinterpret_cast<const char*>(state->bytes.get()), state->size};
    }

    std::unique_ptr<TextEngine> engine;
    std::vector<Token> prompt;
    const std::atomic<bool> never = false;
};

TEST_P(SavedSequences, ArePutBackBitForBitWhereverThereIsRoom) {
    const std::span<const Token> evaluated(prompt.data(), prompt.size() - 1);
    ASSERT_GT(evaluated.size(), 600U);
    evaluate(0, evaluated, 0);
    const auto before = memory_of(0, evaluated.size());
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
    EXPECT_TRUE(memory_of(7, evaluated.size()) == before);
}

TEST_P(SavedSequences, LeaveTheirNeighboursAsTheyAre) {
    evaluate(0, std::span(prompt).first(200), 0);
    const auto before = memory_of(0, 200);
    evaluate(2, std::span(prompt).first(500), 0);
    const auto state = engine->save(2, 0, 500);
    ASSERT_TRUE(state);
    engine->clear(2);
    ASSERT_TRUE(engine->restore(3, 0, 400, state->view(), 0));
    EXPECT_TRUE(memory_of(0, 200) == before);
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

INSTANTIATE_TEST_SUITE_P(
    Models, SavedSequences,
    testing::Values(RealModel{"SmolLM2-135M-Instruct.Q4_1.gguf", CacheType::f16, FlashAttention::on},
                    RealModel{"SmolLM2-135M-Instruct.Q4_1.gguf", CacheType::f16, FlashAttention::off},
                    RealModel{"SmolLM2-135M-Instruct.Q4_1.gguf", CacheType::q8_0, FlashAttention::on},
                    RealModel{"SmolLM2-135M-Instruct.Q4_1.gguf", CacheType::q4_0, FlashAttention::automatic},
                    RealModel{"gemma-3-270m-q4_k_m.gguf", CacheType::f16, FlashAttention::on},
                    RealModel{"gemma-3-270m-q4_k_m.gguf", CacheType::q8_0, FlashAttention::on}));

TEST(Load, RefusesAQuantisedCacheWithoutFlashAttention) {
    const RealModel wrong{"SmolLM2-135M-Instruct.Q4_1.gguf", CacheType::q8_0, FlashAttention::off};
    const auto loaded = load_model(wrong);
    ASSERT_FALSE(loaded);
    EXPECT_NE(loaded.error().message.find("flash attention"), std::string::npos) << loaded.error().message;
}

}  // namespace
}  // namespace worker::engine::llama
