#pragma once

/// Which prompts are too long to be worth tokenising: that takes long, and deep stacks, while no other job is prepared.

#include <llama.h>

#include <cstddef>
#include <optional>

#include "base/result.hpp"

namespace worker::engine::llama {

/// Most bytes of text that one token stands for, or somewhat more. Nothing for vocabularies whose tokens can stand for
/// text of any length, such as whole unknown words. Looks at every token: call it once.
std::optional<std::size_t> longest_token_bytes(const llama_vocab* vocab);

/// `context_length` when `bytes` of text cannot fit even if all of them are the longest token.
base::Result<void> check_could_fit(std::size_t bytes, std::size_t longest_token_bytes, std::size_t context_tokens);

}  // namespace worker::engine::llama
