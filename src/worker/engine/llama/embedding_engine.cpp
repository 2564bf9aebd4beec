#include "worker/engine/llama/embedding_engine.hpp"

#include <algorithm>

#include "worker/engine/llama/model_facts.hpp"
#include "worker/engine/llama/vocabulary_text.hpp"

namespace worker::engine::llama {

using base::ErrorCode;
using base::fail;

EmbeddingEngine::EmbeddingEngine(llama_model_ptr model, std::unique_ptr<Threads> threads,
                                 std::unique_ptr<LlamaEmbedder> embedder, std::shared_ptr<const Adapters> adapters,
                                 const Options& options, const Kernels& kernels)
    : model_(std::move(model)),
      threads_(std::move(threads)),
      embedder_(std::move(embedder)),
      adapters_(std::move(adapters)),
      facts_(facts_of(model_.get(), options, kernels)) {
    const auto& limits = embedder_->limits();
    limits_ = {.context_tokens = limits.input_tokens,
               .cells = limits.input_tokens,
               .sequences = 1,
               .slots = options.slots,
               .batch_tokens = limits.batch_tokens,
               .outputs = options.slots};
    auto& text = *facts_.mutable_text();
    text.set_context_tokens(static_cast<std::uint32_t>(limits.input_tokens));
    text.set_slots(static_cast<std::uint32_t>(options.slots));
    text.set_embeddings_only(true);
    adapters_->describe(text);
    add_embedding_facts(*embedder_, text);
}

base::Result<Prepared> EmbeddingEngine::prepare(const contract::TextJob& /*job*/) {
    return fail(ErrorCode::unsupported, "This model does not write: it is for embeddings and ranking only.");
}

base::Result<TokenTexts> EmbeddingEngine::tokens_of(const contract::TokensJob& job) {
    if (job.has_chat()) {
        return fail(ErrorCode::unsupported, "This model does not chat: it is for embeddings and ranking only.", "chat");
    }
    return plain_tokens_of(llama_model_get_vocab(model_.get()), job);
}

base::Result<SavedState> EmbeddingEngine::save(Sequence /*sequence*/, std::size_t /*from*/, std::size_t /*to*/) {
    return fail(ErrorCode::internal, "There is nothing to save.");
}

void add_embedding_facts(const LlamaEmbedder& embedder, contract::TextFacts& facts) {
    const bool ranks = embedder.pooling() == LLAMA_POOLING_TYPE_RANK;
    facts.set_embeddings(!ranks);
    facts.set_reranking(ranks);
    facts.set_pooling(std::string(name_of(embedder.pooling())));
}

}  // namespace worker::engine::llama
