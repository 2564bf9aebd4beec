#pragma once

/// A small model of llama.cpp that drafts for a larger one of the same vocabulary. Its memory is a pool of cells as large
/// as the larger model's, taken at the start: what no longer fits is forgotten, the longest unused first.

#include <llama-cpp.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "worker/engine/engine.hpp"
#include "worker/engine/llama/candidates.hpp"
#include "worker/engine/llama/load.hpp"
#include "worker/engine/llama/threads.hpp"

namespace worker::engine::llama {

class LlamaDraftModel final : public DraftModel {
public:
    /// `context` has a unified pool and the engine's sequences; the model can go back. `vocabulary` is the size of the
    /// engine's: no other tokens are drafted.
    LlamaDraftModel(llama_model_ptr model, llama_context_ptr context, std::size_t vocabulary, const Threads& threads);
    ~LlamaDraftModel() override;

    std::size_t missing(Sequence sequence, std::span<const Token> tokens) const override;
    void catch_up(Sequence sequence, std::span<const Token> tokens, std::size_t most) override;
    std::vector<std::vector<Token>> draft(std::span<const Request> requests) override;

    std::size_t cells() const { return llama_n_ctx(context_.get()); }

private:
    struct Held {
        std::vector<Token> tokens;
        std::uint64_t used = 0;
    };
    struct Growing {
        const Request* request;
        std::vector<Token> tokens;
        std::int32_t output = 0;  // in the last batch
        bool ended = false;
    };

    Held& held(Sequence sequence) { return held_[static_cast<std::size_t>(sequence)]; }
    std::size_t common(std::size_t sequence, std::span<const Token> tokens) const;
    std::size_t nearest(std::span<const Token> tokens) const;
    bool known(std::span<const Token> tokens) const;
    void settle(Sequence sequence, std::span<const Token> tokens);
    void forget(Sequence sequence, std::size_t tokens);
    bool forget_oldest();
    void add(Token token, Sequence sequence, std::size_t position, bool output);
    bool evaluate();
    void read(Growing& growing, std::size_t share);
    void guess(Growing& growing);

    llama_model_ptr model_;
    llama_context_ptr context_;
    std::size_t vocabulary_;
    std::vector<Held> held_;  // by sequence
    std::uint64_t uses_ = 0;
    llama_batch batch_;
    Candidates candidates_;
};

/// Loads `options.draft_model` for a model that is loaded already. The errors say in one line for the operator what does
/// not fit. `threads` must outlive what is returned.
base::Result<std::unique_ptr<LlamaDraftModel>> load_draft_model(const Options& options, const llama_model* model,
                                                                const llama_context* context, const Threads& threads);

}  // namespace worker::engine::llama
