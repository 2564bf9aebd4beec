#pragma once

/// One answer of llama.cpp: sampler, grammar, and the parser of its chat format.

#include <chat.h>

#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "worker/engine/engine.hpp"
#include "worker/engine/llama/constraint.hpp"
#include "worker/engine/llama/json_content.hpp"
#include "worker/engine/llama/token_chooser.hpp"
#include "worker/engine/llama/unmarked_calls.hpp"

namespace worker::engine::llama {

/// How the text of an answer is to be understood.
struct AnswerFormat {
    /// Plain text: nothing to parse.
    bool plain = true;
    /// Nothing but JSON: the parser, which reads everything again for each token, is not needed.
    bool json = false;
    common_chat_parser_params parser;
    /// The functions whose calls may come without the tags around them; mostly none.
    std::vector<std::string> unmarked_tools;
    /// The answer goes on with a message whose text the parser will find as well.
    bool continues = false;
    /// Special tokens that the parser needs to see as text.
    std::set<llama_token> visible_tokens;
    /// All special tokens are text.
    bool all_visible = false;
};

/// The logits of the last `decode`, by index in its batch; nullptr where none were wanted. Answers that sample side by
/// side read it, each its own rows: llama.cpp's function for it is not made for several threads.
using LogitRows = std::vector<float*>;

class LlamaAnswer final : public Answer {
public:
    /// `vocab` and `rows` must outlive the answer. `ends` are the tokens that end it. `constraint` is nullptr without a
    /// grammar.
    LlamaAnswer(const llama_vocab* vocab, const LogitRows& rows, std::vector<Token> ends,
                const common_params_sampling& params, std::unique_ptr<Constraint> constraint, AnswerFormat format);

    Token sample(std::size_t batch_index, bool may_end) override;
    contract::TokenInfo describe(std::size_t batch_index, Token token, std::uint32_t top) override;
    Forced forced(std::size_t most) override;
    bool is_end(Token token) const override;
    std::string piece(Token token) const override;
    std::vector<Part> read(std::string_view text) override;
    std::vector<Part> finish() override;

private:
    std::span<float> logits(std::size_t batch_index) const;
    Token choose(std::span<float> logits);
    std::vector<Part> parse(bool partial);

    const llama_vocab* vocab_;
    const LogitRows& rows_;
    std::vector<Token> ends_;
    TokenChooser chooser_;
    std::unique_ptr<Constraint> constraint_;
    AnswerFormat format_;

    JsonContent json_;
    std::optional<UnmarkedCalls> unmarked_;
    std::string text_;        // for the parser
    std::string said_;        // where that is not the same
    std::size_t parsed_ = 0;  // of text_
    common_chat_msg message_;
    std::vector<std::string> call_ids_;
    std::vector<bool> call_announced_;
};

}  // namespace worker::engine::llama
