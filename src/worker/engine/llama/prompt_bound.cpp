#include "worker/engine/llama/prompt_bound.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace worker::engine::llama {

std::optional<std::size_t> longest_token_bytes(const llama_vocab* vocab) {
    const auto type = llama_vocab_type(vocab);
    if (type != LLAMA_VOCAB_TYPE_BPE && type != LLAMA_VOCAB_TYPE_SPM) {
        return std::nullopt;
    }
    // The vocabulary spells spaces and control characters with longer signs, so this is never too little.
    std::size_t longest = 1;
    for (llama_token token = 0; token < llama_vocab_n_tokens(vocab); ++token) {
        if (const char* text = llama_vocab_get_text(vocab, token)) {
            longest = std::max(longest, std::string_view(text).size());
        }
    }
    return longest;
}

base::Result<void> check_could_fit(std::size_t bytes, std::size_t longest_token_bytes, std::size_t context_tokens) {
    const std::size_t fewest = bytes / longest_token_bytes + (bytes % longest_token_bytes == 0 ? 0 : 1);
    if (fewest < context_tokens) {
        return {};
    }
    // The wording of a prompt that was counted, which clients look for.
    return base::fail(base::ErrorCode::context_length,
                      fmt::format("This model's maximum context length is {} tokens. However, your messages resulted "
                                  "in at least {} tokens. Please reduce the length of the messages.",
                                  context_tokens, fewest));
}

}  // namespace worker::engine::llama
