#pragma once

/// Chooses tokens with llama.cpp's samplers, which it shows only the few tokens that can still be chosen.
///
/// The samplers run in llama.cpp's order: bias, penalties, DRY, top-n-sigma, top-k, typical, top-p, min-p, XTC,
/// temperature, draw; with mirostat: bias, temperature, mirostat. The choice is the one they would make from the whole
/// vocabulary, bit for bit, with the same seed. Why a few tokens are enough:
/// - Bias, penalties and DRY change a logit by what is known of that token alone, and only those of biased tokens and of
///   tokens accepted before. They are applied to these tokens first.
/// - top-k keeps the k largest; what follows never sees the others.
/// - top-p without top-k needs the sum over the vocabulary, which is computed as llama.cpp does, and then only as many of
///   the largest as reach p.
/// - min-p without either keeps what is above a bound that follows from the maximum alone.
/// llama.cpp's order of equal logits depends on the whole row. No sampler looks at ids, so which place is drawn does not
/// depend on it; only when one of equals is drawn is the choice made again the long way. Settings that need the whole
/// distribution (top-n-sigma, mirostat, and typical or XTC with none of the above) take it at once; a plain draw with none
/// of them has a way of its own (draw.hpp).
///
/// Two differences on purpose: of several likeliest tokens at temperature 0 the first is chosen; and a token that cannot
/// come (-inf) is no candidate at all, where llama.cpp's typical sampler and dynamic temperature would count it.

#include <common.h>
#include <llama-cpp.h>

#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "worker/engine/engine.hpp"
#include "worker/engine/llama/candidates.hpp"
#include "worker/engine/llama/draw.hpp"

namespace worker::engine::llama {

class TokenChooser {
public:
    /// `vocab` must outlive the chooser; it may be null when the settings have no DRY sequence breakers.
    TokenChooser(const llama_vocab* vocab, const common_params_sampling& params);

    /// The row is changed while this runs, and is afterwards as before. `allowed` as in `Candidates::look_at`.
    /// Throws FormatDeadEnd when no token can come.
    Token choose(std::span<float> logits, const grammar::TokenMask* allowed);
    /// Remembers a token for penalties and DRY.
    void accept(Token token);

private:
    // The samplers after top-k, in order.
    enum Step : std::size_t { typical, top_p, min_p, xtc, temperature, draw };
    struct Window {
        std::size_t size = 0;
        std::vector<Token> tokens;  // the newest `size` at least
        std::unordered_map<Token, std::size_t> counts;
    };
    class Modified;

    std::vector<llama_token_data> modified(std::span<const float> logits);
    /// Nothing: the long way.
    std::optional<Token> from_few();
    std::optional<Token> from_nucleus();
    /// `best` are sorted; behind the first `count` there may be one more that did not make it.
    std::optional<Token> from_sorted(std::vector<llama_token_data> best, std::size_t count, Step first);
    Token from_all();
    Token run(std::vector<llama_token_data> candidates, bool sorted, Step first);

    common_params_sampling params_;
    std::vector<llama_logit_bias> biases_;
    std::vector<llama_sampler_ptr> modifiers_;
    std::vector<llama_sampler_ptr> whole_;  // what runs between the modifiers and `steps_` on the long way
    std::vector<llama_sampler_ptr> steps_;
    std::optional<Draw> draw_;  // instead of all of them, where there is nothing but a temperature
    Window window_;
    Candidates candidates_;
};

}  // namespace worker::engine::llama
