#include "worker/engine/llama/vocabulary_text.hpp"

#include <common.h>
#include <fmt/format.h>

#include <algorithm>

#include "base/utf8.hpp"

namespace worker::engine::llama {
namespace {

constexpr std::size_t most_bytes = 1 << 20;

}  // namespace

base::Result<std::vector<Token>> checked_tokens(const llama_vocab* vocab, const contract::TokenSequence& tokens,
                                                std::string param) {
    const auto unknown = [&](Token id) { return id < 0 || id >= llama_vocab_n_tokens(vocab); };
    if (const auto found = std::ranges::find_if(tokens.ids(), unknown); found != tokens.ids().end()) {
        return base::fail(base::ErrorCode::invalid, fmt::format("There is no token {} in this model.", *found),
                          std::move(param));
    }
    return std::vector<Token>(tokens.ids().begin(), tokens.ids().end());
}

std::string text_of(const llama_vocab* vocab, std::span<const Token> tokens) {
    return base::valid_utf8(common_detokenize(vocab, {tokens.begin(), tokens.end()}, true));
}

std::vector<std::string> pieces_of(const llama_vocab* vocab, std::span<const Token> tokens) {
    std::vector<std::string> pieces;
    pieces.reserve(tokens.size());
    for (const Token token : tokens) {
        pieces.push_back(token < 0 ? std::string() : common_token_to_piece(vocab, token, true));
    }
    return pieces;
}

base::Result<TokenTexts> plain_tokens_of(const llama_vocab* vocab, const contract::TokensJob& job) {
    TokenTexts texts;
    if (job.has_tokens()) {
        auto tokens = checked_tokens(vocab, job.tokens(), "tokens");
        if (!tokens) {
            return std::unexpected(tokens.error());
        }
        texts.tokens = std::move(*tokens);
        texts.text = text_of(vocab, texts.tokens);
    } else if (job.text().size() > most_bytes) {
        return base::fail(base::ErrorCode::too_large, "At most one MiB of text is tokenised at a time.", "text");
    } else {
        texts.tokens = common_tokenize(vocab, job.text(), job.add_special(), job.parse_special());
    }
    texts.pieces = pieces_of(vocab, texts.tokens);
    return texts;
}

bool can_fill_in(const llama_vocab* vocab) {
    return llama_vocab_fim_pre(vocab) != LLAMA_TOKEN_NULL && llama_vocab_fim_suf(vocab) != LLAMA_TOKEN_NULL &&
           llama_vocab_fim_mid(vocab) != LLAMA_TOKEN_NULL;
}

std::vector<Token> fill_in_prompt(const llama_vocab* vocab, const contract::FillIn& texts) {
    std::vector<Token> prompt;
    if (llama_vocab_get_add_bos(vocab)) {
        prompt.push_back(llama_vocab_bos(vocab));
    }
    const auto add = [&](Token mark, const std::string& text) {
        prompt.push_back(mark);
        const auto tokens = common_tokenize(vocab, text, false, false);
        prompt.insert(prompt.end(), tokens.begin(), tokens.end());
    };
    add(llama_vocab_fim_pre(vocab), texts.before());
    add(llama_vocab_fim_suf(vocab), texts.after());
    prompt.push_back(llama_vocab_fim_mid(vocab));
    return prompt;
}

Echo echo_of(const llama_vocab* vocab, std::span<const Token> tokens, const contract::TextJob& job) {
    if (job.has_fill_in()) {
        return {.text = job.fill_in().before()};
    }
    if (!job.has_text()) {
        return {.text = text_of(vocab, tokens)};
    }
    const std::string& text = job.text();
    const Token start = llama_vocab_bos(vocab);
    const bool added = !tokens.empty() && tokens.front() == start && llama_vocab_get_add_bos(vocab) &&
                       !text.starts_with(common_token_to_piece(vocab, start, true));
    return {.text = text, .hidden_tokens = added || text.empty() ? std::size_t{1} : 0};
}

}  // namespace worker::engine::llama
