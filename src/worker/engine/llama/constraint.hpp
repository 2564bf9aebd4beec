#pragma once

/// What an answer's grammar allows at the place where the answer is. Tool calls have lazy grammars: they begin to
/// constrain when a trigger appears in the text, and not inside reasoning.

#include <common.h>
#include <llama-cpp.h>

#include <memory>
#include <regex>
#include <string>
#include <string_view>
#include <vector>

#include "worker/engine/engine.hpp"
#include "worker/engine/llama/grammar/grammar.hpp"

namespace worker::engine::llama {

class Constraint {
public:
    /// `params` tells when the grammar begins. What the prompt has begun of the answer is accepted at once. Throws
    /// FormatDeadEnd when the grammar does not allow that, std::regex_error for a bad trigger.
    Constraint(const llama_vocab* vocab, std::shared_ptr<grammar::Grammar> grammar,
               const common_params_sampling& params);

    /// False: any token may come.
    bool applies() const;
    bool allows(Token token) { return matcher_.allows(token); }
    std::shared_ptr<const grammar::TokenMask> allowed() { return matcher_.allowed(); }
    /// Goes on. Throws FormatDeadEnd when the token is not allowed.
    void accept(Token token);
    /// As Answer::forced.
    Forced forced(std::size_t most);

private:
    /// Tokens, words and patterns that begin a lazy grammar, and the text in which they are looked for.
    struct Trigger {
        struct Piece {
            Token token = 0;
            std::size_t begin = 0;  // in `text`
        };
        struct Pattern {
            std::regex expression;
            std::regex_constants::match_flag_type from = std::regex_constants::match_default;
        };
        std::vector<Token> tokens;
        std::vector<std::string> words;
        std::vector<Pattern> patterns;
        std::string text;
        std::vector<Piece> pieces;

        static Pattern pattern_of(const std::string& text);
        void add(const common_grammar_trigger& trigger);
        /// Where what triggers begins in `text`, of which the last `added` bytes are new; npos when nothing does.
        std::size_t find(std::size_t added) const;
    };

    void follow(Token token);
    void follow(Token token, std::string_view piece);
    bool reasons() const;

    const llama_vocab* vocab_;
    grammar::Matcher matcher_;
    /// While the grammar waits to be triggered.
    std::unique_ptr<Trigger> trigger_;
    /// Of a lazy grammar: where reasoning begins and ends. llama.cpp's sampler for it, used for its states alone.
    llama_sampler_ptr reasoning_;
};

}  // namespace worker::engine::llama
