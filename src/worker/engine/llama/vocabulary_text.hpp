#pragma once

/// Text to tokens and back, for what is not a chat. Safe from any thread.

#include <llama.h>

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "worker/engine/engine.hpp"

namespace worker::engine::llama {

/// Errors: `invalid` with `param` for an id that the vocabulary does not have.
base::Result<std::vector<Token>> checked_tokens(const llama_vocab* vocab, const contract::TokenSequence& tokens,
                                                std::string param);

/// What the tokens say, special ones by their names; valid UTF-8.
std::string text_of(const llama_vocab* vocab, std::span<const Token> tokens);
/// The bytes of each.
std::vector<std::string> pieces_of(const llama_vocab* vocab, std::span<const Token> tokens);

/// The part of a TokensJob that every vocabulary can do: text to tokens (of at most one MiB: other jobs wait meanwhile), tokens
/// to text.
base::Result<TokenTexts> plain_tokens_of(const llama_vocab* vocab, const contract::TokensJob& job);

/// Whether the model was trained to fill in what is missing between two texts.
bool can_fill_in(const llama_vocab* vocab);
/// The prompt for it, as the models' makers describe it: the text before, the text after, and then what is missing.
std::vector<Token> fill_in_prompt(const llama_vocab* vocab, const contract::FillIn& texts);

/// How the prompt of a job is echoed that became these tokens.
Echo echo_of(const llama_vocab* vocab, std::span<const Token> tokens, const contract::TextJob& job);

}  // namespace worker::engine::llama
