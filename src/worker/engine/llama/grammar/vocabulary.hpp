#pragma once

/// The tokens of a model as characters, and as a tree of their beginnings: a grammar that refuses a beginning refuses
/// all tokens below it at once. Made once for a model; immutable.

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "worker/engine/engine.hpp"
#include "worker/engine/llama/grammar/characters.hpp"

struct llama_vocab;

namespace worker::engine::llama::grammar {

class Vocabulary {
public:
    /// A beginning of tokens, one character longer than the one above it. Nodes lie in the order of a walk: the first one
    /// below a node follows it, and `next` is the first one that is not below it.
    struct Node {
        std::uint32_t character = 0;
        std::uint32_t depth = 0;  ///< characters; the root has none and is no node
        std::uint32_t next = 0;
        std::uint32_t first_token = 0;  ///< in `ordered`: those of this node, up to the first of the following node
    };

    /// `pieces[token]` is the text of a token, special ones included; `ends` are the end-of-generation tokens.
    Vocabulary(std::vector<std::string> pieces, std::span<const Token> ends);

    std::size_t size() const { return pieces_.size(); }
    const std::string& piece(Token token) const { return pieces_[static_cast<std::size_t>(token)]; }
    bool is_end(Token token) const { return kinds_[static_cast<std::size_t>(token)] == TokenKind::end; }
    /// Whether the token is text a grammar can look at: no end of generation, and not empty.
    bool is_text(Token token) const { return kinds_[static_cast<std::size_t>(token)] == TokenKind::text; }
    const std::vector<Token>& ends() const { return ends_; }

    /// The tree. The last node is none: it closes the others.
    std::span<const Node> nodes() const { return nodes_; }
    std::span<const Token> tokens_at(std::size_t node) const;
    /// Tokens that end inside a character, and those that begin with the rest of one.
    const std::vector<Token>& split_at_end() const { return split_at_end_; }
    const std::vector<Token>& split_at_begin() const { return split_at_begin_; }

private:
    enum class TokenKind : std::uint8_t { text, end, unusable };

    std::vector<std::string> pieces_;
    std::vector<TokenKind> kinds_;
    std::vector<Token> ends_;
    std::vector<Node> nodes_;
    std::vector<Token> ordered_;
    std::vector<Token> split_at_end_;
    std::vector<Token> split_at_begin_;
};

std::shared_ptr<const Vocabulary> vocabulary_of(const llama_vocab* vocab);

}  // namespace worker::engine::llama::grammar
