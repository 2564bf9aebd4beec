#pragma once

/// Finds the few tokens of a row of logits that matter, without sorting or copying the row.
///
/// One pass takes the largest logit of every 64 tokens; the questions after it look only into the blocks that can hold
/// an answer. Tokens that cannot come (not allowed, or -inf) are no candidates.

#include <llama.h>

#include <span>
#include <vector>

#include "worker/engine/engine.hpp"
#include "worker/engine/llama/grammar/token_mask.hpp"

namespace worker::engine::llama {

class Candidates {
public:
    /// Looks at the row from now on: one logit for each token of the vocabulary, of which those in `allowed` may come;
    /// nullptr means all. Both must stay as they are while questions are asked.
    void look_at(std::span<const float> logits, const grammar::TokenMask* allowed);

    bool empty() const;
    /// The largest logit; -inf when there is no candidate.
    float maximum() const { return maximum_; }
    /// The first token with the largest logit. There must be a candidate.
    Token likeliest() const;
    /// The `count` with the largest logits (fewer when there are no more), largest first, of equals the first token first.
    std::vector<llama_token_data> largest(std::size_t count) const;
    /// All with at least this logit, which must be above -inf, by token.
    std::vector<llama_token_data> at_least(float logit) const;
    /// Every candidate, by token.
    std::vector<llama_token_data> all() const;
    /// The sum of exp(logit - maximum), added up token by token in single precision as llama.cpp's softmax does: the
    /// same bits.
    float exponential_sum() const;

private:
    template <typename Visit>
    void visit_block(std::size_t block, Visit visit) const;

    std::span<const float> logits_;
    const grammar::TokenMask* allowed_ = nullptr;
    std::vector<float> block_maxima_;
    float maximum_ = 0;
};

/// The logarithm of the sum of exp(logit).
float log_sum_exp(std::span<const float> logits);

}  // namespace worker::engine::llama
