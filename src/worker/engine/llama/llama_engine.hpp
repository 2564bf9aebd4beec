#pragma once

/// llama.cpp as a TextEngine: one model, one context with a unified pool of cells.

#include <llama-cpp.h>

#include <atomic>
#include <optional>
#include <vector>

#include "worker/engine/engine.hpp"
#include "worker/engine/llama/adapters.hpp"
#include "worker/engine/llama/chat.hpp"
#include "worker/engine/llama/chat_formats.hpp"
#include "worker/engine/llama/draft_model.hpp"
#include "worker/engine/llama/embedder.hpp"
#include "worker/engine/llama/grammar/grammar.hpp"
#include "worker/engine/llama/load.hpp"
#include "worker/engine/llama/media/projector.hpp"
#include "worker/engine/llama/positions.hpp"
#include "worker/engine/llama/schema_grammars.hpp"
#include "worker/engine/llama/sequence_state.hpp"
#include "worker/engine/llama/threads.hpp"

namespace worker::engine::llama {

class LlamaEngine final : public TextEngine {
public:
    /// `embedder`, `draft_model` and `projector` may be empty.
    LlamaEngine(llama_model_ptr model, llama_context_ptr context, std::unique_ptr<Threads> threads,
                std::unique_ptr<LlamaEmbedder> embedder, std::unique_ptr<LlamaDraftModel> draft_model,
                std::unique_ptr<Projector> projector, std::shared_ptr<const Adapters> adapters, const Options& options,
                const Kernels& kernels);
    ~LlamaEngine() override;

    const Limits& limits() const override { return limits_; }
    contract::ModelFacts facts() const override { return facts_; }
    base::Result<Prepared> prepare(const contract::TextJob& job) override;
    base::Result<TokenTexts> tokens_of(const contract::TokensJob& job) override;
    void report(contract::StatisticsReply& reply) const override;
    base::Result<AdapterSet> adapters_of(const AdapterUses& named) const override { return adapters_->set_of(named); }
    void use(const AdapterSet& adapters) override { adapters_->use(context_.get(), adapters); }
    Decoded decode(std::span<const BatchToken> batch, const std::atomic<bool>& abort) override;
    Encoded encode(const std::shared_ptr<const Media>& media, std::string_view salt, base::Duration time,
                   const std::atomic<bool>& abort) override;
    Decoded decode_media(const MediaPiece& piece, Sequence sequence, std::size_t position, bool output,
                         const std::atomic<bool>& abort) override;
    std::size_t reusable(Sequence sequence, std::size_t tokens) const override;
    void copy(Sequence from, Sequence to, std::size_t tokens) override;
    bool trim(Sequence sequence, std::size_t tokens) override;
    void clear(Sequence sequence) override;
    base::Result<SavedState> save(Sequence sequence, std::size_t from, std::size_t to) override;
    bool restore(Sequence sequence, std::size_t from, std::size_t to, std::span<const std::byte> state,
                 std::size_t begins) override;
    Embedder* embedder() override { return embedder_.get(); }
    DraftModel* draft_model() override { return draft_model_.get(); }

private:
    contract::ModelFacts describe(const Options& options, const Kernels& kernels) const;
    base::Result<std::vector<Token>> tokenised(const std::string& text) const;
    /// Of a chat rendered as `prompt`.
    base::Result<MediaPrompt> tokenised(const std::string& prompt, const contract::Chat& chat) const;
    MediaKinds media_kinds() const;
    /// The end-of-generation tokens and those of the job.
    base::Result<std::vector<Token>> ends_of(const contract::TextJob& job) const;
    base::Result<std::vector<Token>> plain_prompt(const contract::TextJob& job) const;

    llama_model_ptr model_;
    const llama_vocab* vocab_;
    std::vector<Token> ends_;
    std::unique_ptr<Threads> threads_;
    llama_context_ptr context_;
    std::unique_ptr<LlamaEmbedder> embedder_;
    std::unique_ptr<LlamaDraftModel> draft_model_;
    std::unique_ptr<Projector> projector_;
    std::shared_ptr<const Adapters> adapters_;
    SequenceStates states_;
    Positions positions_;
    common_chat_templates_ptr templates_;
    ChatFormats chat_formats_;
    SchemaGrammars schemas_;
    grammar::GrammarCache grammars_;
    Limits limits_;
    std::optional<std::size_t> longest_token_bytes_;
    contract::ModelFacts facts_;
    /// Whether any part of a sequence can be forgotten: false for models with a running state.
    bool can_go_back_ = true;
    llama_batch batch_;
    std::vector<float*> rows_;  // see LogitRows
    /// The running `decode`'s; llama.cpp asks it often.
    const std::atomic<bool>* abort_ = nullptr;
};

}  // namespace worker::engine::llama
