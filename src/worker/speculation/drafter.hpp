#pragma once

/// Guesses how one answer goes on, from its prompt, its own text and the job's prediction, and learns how good the
/// guesses are. It learns from every token, also where nobody evaluated what it guessed: learning costs nothing.

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "worker/speculation/acceptance.hpp"
#include "worker/speculation/draft.hpp"
#include "worker/speculation/lookup_index.hpp"

namespace worker::speculation {

class Drafter {
public:
    /// The first `prompt_tokens` tokens of the text are given, the others are answered. `usual` is what answers have in
    /// common, how well they keep to guesses of their format, and learns from this one; it must outlive this. Without it
    /// each answer begins with what is assumed.
    Drafter(std::span<const Token> prediction, std::size_t prompt_tokens, Acceptance* usual = nullptr);

    /// Takes in what `text`, prompt and answer so far, has more than at the last call. What it had stays as it was.
    void follow(std::span<const Token> text);

    /// At most `most` tokens to follow the text; none when there is nothing to go by.
    Draft draft(std::size_t most) const;
    /// What to expect of tokens from elsewhere that are not made yet.
    Draft planned(Source source, std::size_t tokens, double making_seconds) const;
    /// A draft of tokens that came from elsewhere; how they end is learned from what follows.
    /// `certain`: of the first tokens, those that the source is sure of.
    Draft draft_of(Source source, std::vector<Token> tokens, std::size_t certain = 0);
    /// The source was not sure enough to say what comes after so many tokens; planning counts that as wrong.
    void gave_up(Source source, std::size_t tokens) { acceptance_.observe(source, tokens, false); }

private:
    void take(Token token);
    void learn_of_others(Token token);
    Source source_of(std::size_t position) const;

    LookupIndex index_;
    Acceptance acceptance_;
    Acceptance* usual_;
    /// In the index's text: where the prediction has ended and prompt and answer begin.
    std::size_t own_text_;
    std::size_t prompt_tokens_;
    std::size_t followed_ = 0;
    /// Where the next token is read from; its length is that of the agreement so far.
    std::optional<LookupIndex::Match> reading_;
    /// What came from elsewhere last, as far as it has not ended.
    Draft others_;
    std::size_t others_right_ = 0;
};

}  // namespace worker::speculation
