// With real models, which `./dev test unit` fetches.

#include <gtest/gtest.h>

#include <cmath>
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

std::unique_ptr<TextEngine> load_model(const char* file, Pooling pooling = Pooling::automatic) {
    static const auto kernels = load_kernels(ENGINE_LIBRARIES);
    auto engine =
        load({.model = (model_folder() / file).string(), .context = 512, .slots = 2, .threads = 1, .pooling = pooling},
             *kernels, [](double) {});
    EXPECT_TRUE(engine) << engine.error().message;
    return engine ? std::move(*engine) : nullptr;
}

contract::EmbeddingInput input_of(const std::string& text) {
    contract::EmbeddingInput input;
    input.set_text(text);
    return input;
}

contract::EmbeddingInput pair_of(const std::string& query, const std::string& document) {
    contract::EmbeddingInput input;
    input.mutable_pair()->set_query(query);
    input.mutable_pair()->set_document(document);
    return input;
}

const std::atomic<bool> never = false;

void add(std::span<const Token> tokens, Sequence sequence, std::size_t from, std::vector<BatchToken>& batch) {
    for (std::size_t index = 0; index < tokens.size(); ++index) {
        batch.push_back(
            {.token = tokens[index], .sequence = sequence, .position = static_cast<std::int32_t>(from + index)});
    }
}

/// In steps of at most `most` tokens.
std::vector<float> embedded(Embedder& embedder, const contract::EmbeddingInput& input, std::size_t most) {
    const auto tokens = embedder.prepare(input).value();
    for (std::size_t from = 0; from < tokens.size(); from += most) {
        std::vector<BatchToken> batch;
        add(std::span(tokens).subspan(from, std::min(most, tokens.size() - from)), 0, from, batch);
        EXPECT_EQ(embedder.evaluate(batch, never), Decoded::done);
    }
    auto vector = embedder.vector_of(0);
    embedder.clear(0);
    return vector;
}

double cosine(const std::vector<float>& a, const std::vector<float>& b) {
    double product = 0;
    double squares_a = 0;
    double squares_b = 0;
    for (std::size_t index = 0; index < a.size(); ++index) {
        product += static_cast<double>(a[index]) * b[index];
        squares_a += static_cast<double>(a[index]) * a[index];
        squares_b += static_cast<double>(b[index]) * b[index];
    }
    return product / std::sqrt(squares_a * squares_b);
}

TEST(Embedder, OfAnEncoderPutsAlikeTextsTogether) {
    const auto engine = load_model("all-MiniLM-L6-v2-f32.gguf");
    ASSERT_NE(engine, nullptr);
    EXPECT_TRUE(engine->facts().text().embeddings_only());
    EXPECT_EQ(engine->facts().text().pooling(), "mean");
    Embedder& embedder = *engine->embedder();
    EXPECT_FALSE(embedder.limits().divisible);
    const auto cat = embedded(embedder, input_of("A cat sleeps on the sofa."), 512);
    const auto kitten = embedded(embedder, input_of("The kitten naps on the couch."), 512);
    const auto stocks = embedded(embedder, input_of("Shares fell after the central bank's decision."), 512);
    EXPECT_EQ(cat.size(), 384U);
    EXPECT_GT(cosine(cat, kitten), 0.6);
    EXPECT_LT(cosine(cat, stocks), 0.2);
}

TEST(Embedder, OfAnEncoderGivesTheSameBesideOthers) {
    const auto engine = load_model("all-MiniLM-L6-v2-f32.gguf");
    ASSERT_NE(engine, nullptr);
    Embedder& embedder = *engine->embedder();
    const auto alone = embedded(embedder, input_of("A cat sleeps."), 512);
    std::vector<BatchToken> batch;
    const auto other = embedder.prepare(input_of("Something else that is longer than the first one.")).value();
    const auto cat = embedder.prepare(input_of("A cat sleeps.")).value();
    add(other, 3, 0, batch);
    add(cat, 1, 0, batch);
    ASSERT_EQ(embedder.evaluate(batch, never), Decoded::done);
    const auto beside = embedder.vector_of(1);
    for (std::size_t index = 0; index < alone.size(); ++index) {
        EXPECT_NEAR(alone[index], beside[index], 1e-5);
    }
}

TEST(Embedder, OfACausalModelIsTheSameInPieces) {
    for (const auto pooling : {Pooling::mean, Pooling::last, Pooling::cls}) {
        const auto engine = load_model("SmolLM2-135M-Instruct.Q4_1.gguf", pooling);
        ASSERT_NE(engine, nullptr);
        EXPECT_FALSE(engine->facts().text().embeddings_only());
        Embedder& embedder = *engine->embedder();
        const auto input = input_of("One sentence of some length, which is evaluated in pieces and as a whole.");
        const auto whole = embedded(embedder, input, 128);
        const auto pieces = embedded(embedder, input, 5);
        EXPECT_EQ(whole.size(), 576U);
        EXPECT_GT(cosine(whole, pieces), 0.999) << static_cast<int>(pooling);
    }
}

TEST(Embedder, RefusesWhatDoesNotFit) {
    const auto engine = load_model("all-MiniLM-L6-v2-f32.gguf");
    ASSERT_NE(engine, nullptr);
    const Embedder& embedder = *engine->embedder();
    std::string text;
    for (int word = 0; word < 600; ++word) {
        text += "word ";
    }
    EXPECT_EQ(embedder.prepare(input_of(text)).error().code, base::ErrorCode::context_length);
    contract::EmbeddingInput tokens;
    tokens.mutable_tokens()->add_ids(1 << 20);
    EXPECT_EQ(embedder.prepare(tokens).error().param, "tokens");
    EXPECT_EQ(embedder.prepare(pair_of("a", "b")).error().code, base::ErrorCode::unsupported);
    contract::TextJob job;
    job.set_text("Hello");
    EXPECT_EQ(engine->prepare(job).error().code, base::ErrorCode::unsupported);
}

TEST(Embedder, OfARerankerJudgesPairs) {
    const auto engine = load_model("random-weights-reranker-f32.gguf");
    ASSERT_NE(engine, nullptr);
    EXPECT_TRUE(engine->facts().text().reranking());
    EXPECT_FALSE(engine->facts().text().embeddings());
    Embedder& embedder = *engine->embedder();
    EXPECT_EQ(embedder.prepare(input_of("alone")).error().code, base::ErrorCode::unsupported);
    const auto one = embedded(embedder, pair_of("Where do penguins live?", "In the south."), 512);
    const auto other = embedded(embedder, pair_of("Where do penguins live?", "Bread is baked."), 512);
    ASSERT_EQ(one.size(), 1U);
    EXPECT_NE(one, other);
    for (const float value : {one[0], other[0]}) {
        EXPECT_GT(value, 0);
        EXPECT_LT(value, 1);
    }
}

TEST(Embedder, IsThereOnlyWhereItIsWanted) {
    const auto engine = load_model("SmolLM2-135M-Instruct.Q4_1.gguf");
    ASSERT_NE(engine, nullptr);
    EXPECT_EQ(engine->embedder(), nullptr);
    EXPECT_FALSE(engine->facts().text().embeddings());
}

}  // namespace
}  // namespace worker::engine::llama
