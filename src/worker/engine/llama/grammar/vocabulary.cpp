#include "worker/engine/llama/grammar/vocabulary.hpp"

#include <common.h>
#include <llama.h>

#include <algorithm>
#include <utility>

namespace worker::engine::llama::grammar {

Vocabulary::Vocabulary(std::vector<std::string> pieces, std::span<const Token> ends)
    : pieces_(std::move(pieces)), kinds_(pieces_.size(), TokenKind::text), ends_(ends.begin(), ends.end()) {
    for (const Token token : ends_) {
        kinds_[static_cast<std::size_t>(token)] = TokenKind::end;
    }
    std::vector<std::pair<std::vector<std::uint32_t>, Token>> whole;
    for (Token token = 0; token < static_cast<Token>(pieces_.size()); ++token) {
        auto& kind = kinds_[static_cast<std::size_t>(token)];
        const std::string& text = piece(token);
        if (text.empty() || text.front() == '\0') {
            kind = kind == TokenKind::end ? kind : TokenKind::unusable;
        }
        if (kind != TokenKind::text) {
            continue;
        }
        if ((static_cast<unsigned char>(text.front()) & 0xC0U) == 0x80U) {
            split_at_begin_.push_back(token);
            continue;
        }
        auto characters = decode(text, {});
        if (characters.rest.missing_bytes == 0) {
            whole.emplace_back(std::move(characters.whole), token);
        } else if (characters.rest.missing_bytes > 0) {
            split_at_end_.push_back(token);
        }
    }
    std::ranges::sort(whole);
    std::vector<std::uint32_t> path;     // the characters of the last token
    std::vector<std::uint32_t> on_path;  // and their nodes
    const auto close_to = [&](std::size_t depth) {
        for (; on_path.size() > depth; on_path.pop_back()) {
            nodes_[on_path.back()].next = static_cast<std::uint32_t>(nodes_.size());
        }
    };
    for (const auto& [characters, token] : whole) {
        const auto common = static_cast<std::size_t>(std::ranges::mismatch(path, characters).in1 - path.begin());
        close_to(common);
        for (std::size_t depth = common; depth < characters.size(); ++depth) {
            on_path.push_back(static_cast<std::uint32_t>(nodes_.size()));
            nodes_.push_back({.character = characters[depth],
                              .depth = static_cast<std::uint32_t>(depth + 1),
                              .first_token = static_cast<std::uint32_t>(ordered_.size())});
        }
        path = characters;
        ordered_.push_back(token);
    }
    close_to(0);
    nodes_.push_back({.first_token = static_cast<std::uint32_t>(ordered_.size())});
}

std::span<const Token> Vocabulary::tokens_at(std::size_t node) const {
    const auto first = nodes_[node].first_token;
    return std::span(ordered_).subspan(first, nodes_[node + 1].first_token - first);
}

std::shared_ptr<const Vocabulary> vocabulary_of(const llama_vocab* vocab) {
    std::vector<std::string> pieces;
    std::vector<Token> ends;
    for (Token token = 0; token < llama_vocab_n_tokens(vocab); ++token) {
        pieces.push_back(common_token_to_piece(vocab, token, true));
        if (llama_vocab_is_eog(vocab, token)) {
            ends.push_back(token);
        }
    }
    return std::make_shared<const Vocabulary>(std::move(pieces), ends);
}

}  // namespace worker::engine::llama::grammar
