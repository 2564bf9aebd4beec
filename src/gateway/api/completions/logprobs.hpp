#pragma once

#include <span>
#include <string>

#include "engine.pb.h"
#include "gateway/api/completions/answer.hpp"

namespace gateway::api::completions {

/// The log-probabilities of one answer, token after token. Offsets count the characters of what went before.
class LogprobsWriter {
public:
    /// The next tokens. `first_is_unconditioned`: the first of them has no probability.
    Logprobs add(std::span<const llm_gateway::engine::v1::TokenInfo* const> tokens,
                 bool first_is_unconditioned = false);

    /// The mean over the tokens of the answer so far, without an echoed prompt. Larger is better; 0 before the first.
    double mean() const { return count_ == 0 ? 0 : sum_ / static_cast<double>(count_); }
    /// What follows belongs to the answer.
    void end_of_prompt() { count_ = 0, sum_ = 0; }

private:
    std::int64_t characters_ = 0;
    std::size_t count_ = 0;
    double sum_ = 0;
};

/// Puts the lists of `more` behind those of `all`.
void append(Logprobs more, Logprobs& all);

}  // namespace gateway::api::completions
