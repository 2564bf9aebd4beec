#pragma once

/// A model that only encodes, as a TextEngine: it embeds or ranks, and refuses text jobs.

#include <llama-cpp.h>

#include "worker/engine/llama/adapters.hpp"
#include "worker/engine/llama/embedder.hpp"
#include "worker/engine/llama/threads.hpp"

namespace worker::engine::llama {

class EmbeddingEngine final : public TextEngine {
public:
    EmbeddingEngine(llama_model_ptr model, std::unique_ptr<Threads> threads, std::unique_ptr<LlamaEmbedder> embedder,
                    std::shared_ptr<const Adapters> adapters, const Options& options, const Kernels& kernels);

    const engine::Limits& limits() const override { return limits_; }
    contract::ModelFacts facts() const override { return facts_; }
    base::Result<Prepared> prepare(const contract::TextJob& job) override;
    base::Result<TokenTexts> tokens_of(const contract::TokensJob& job) override;
    base::Result<AdapterSet> adapters_of(const AdapterUses& named) const override { return adapters_->set_of(named); }
    Embedder* embedder() override { return embedder_.get(); }

    // Nothing is ever in memory, as no text job gets so far.
    Decoded decode(std::span<const BatchToken> /*batch*/, const std::atomic<bool>& /*abort*/) override {
        return Decoded::failed;
    }
    std::size_t reusable(Sequence /*sequence*/, std::size_t /*tokens*/) const override { return 0; }
    void copy(Sequence /*from*/, Sequence /*to*/, std::size_t /*tokens*/) override {}
    bool trim(Sequence /*sequence*/, std::size_t tokens) override { return tokens == 0; }
    void clear(Sequence /*sequence*/) override {}
    base::Result<SavedState> save(Sequence sequence, std::size_t from, std::size_t to) override;
    bool restore(Sequence /*sequence*/, std::size_t /*from*/, std::size_t /*to*/, std::span<const std::byte> /*state*/,
                 std::size_t /*begins*/) override {
        return false;
    }

private:
    llama_model_ptr model_;
    std::unique_ptr<Threads> threads_;
    std::unique_ptr<LlamaEmbedder> embedder_;
    std::shared_ptr<const Adapters> adapters_;
    engine::Limits limits_;
    contract::ModelFacts facts_;
};

/// What an embedder adds to the facts of its model.
void add_embedding_facts(const LlamaEmbedder& embedder, contract::TextFacts& facts);

}  // namespace worker::engine::llama
