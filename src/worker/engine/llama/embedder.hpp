#pragma once

/// Embeddings and ranks by llama.cpp, in a context of their own beside the one that generates.
///
/// A model that only encodes looks at a whole input at once, so inputs cannot be divided. One with causal attention goes
/// on where it stopped; the mean over its tokens is taken here, because llama.cpp takes it over one step only.

#include <llama-cpp.h>

#include <optional>
#include <string_view>
#include <vector>

#include "worker/engine/engine.hpp"
#include "worker/engine/llama/adapters.hpp"
#include "worker/engine/llama/load.hpp"
#include "worker/engine/llama/threads.hpp"

namespace worker::engine::llama {

using PoolingType = enum llama_pooling_type;  // llama.cpp has a function of this name as well

/// How the vectors of an input's tokens become one: what the options say, or else the model's file. Nothing when neither
/// says anything, or the options say no.
std::optional<PoolingType> pooling_of(const llama_model* model, const Options& options);
/// "mean", "cls", "last" or "rank".
std::string_view name_of(PoolingType pooling);

class LlamaEmbedder final : public Embedder {
public:
    /// `model` and `threads` must outlive this. The error's message is one line for the operator.
    static base::Result<std::unique_ptr<LlamaEmbedder>> make(const llama_model* model, PoolingType pooling,
                                                             const Options& options, const Threads& threads,
                                                             std::shared_ptr<const Adapters> adapters);
    ~LlamaEmbedder() override;

    const Limits& limits() const override { return limits_; }
    base::Result<std::vector<Token>> prepare(const contract::EmbeddingInput& input) const override;
    void use(const AdapterSet& adapters) override { adapters_->use(context_.get(), adapters); }
    Decoded evaluate(std::span<const BatchToken> batch, const std::atomic<bool>& abort) override;
    std::vector<float> vector_of(Sequence sequence) override;
    void clear(Sequence sequence) override;

    PoolingType pooling() const { return pooling_; }
    /// The model has no memory of tokens: it cannot generate.
    bool only_encodes() const { return !limits_.divisible; }

private:
    LlamaEmbedder(const llama_model* model, llama_context_ptr context, PoolingType pooling, const Limits& limits,
                  std::shared_ptr<const Adapters> adapters);

    std::vector<Token> pair_tokens(const contract::QueryAndDocument& pair) const;
    void collect(std::span<const BatchToken> batch);

    /// Of a sequence that is under way.
    struct Pooled {
        std::vector<float> values;
        std::size_t tokens = 0;
    };

    const llama_model* model_;
    const llama_vocab* vocab_;
    llama_context_ptr context_;
    PoolingType pooling_;
    Limits limits_;
    std::shared_ptr<const Adapters> adapters_;
    std::optional<std::size_t> longest_token_bytes_;
    llama_batch batch_;
    std::vector<Pooled> pooled_;
    /// The running `evaluate`'s; llama.cpp asks it often.
    const std::atomic<bool>* abort_ = nullptr;
};

}  // namespace worker::engine::llama
