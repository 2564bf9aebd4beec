#pragma once

/// Draws a token from the whole distribution at some temperature, without filters: the token that llama.cpp's samplers
/// for both would draw with the same seed.
///
/// Theirs compute every exponential and add them up twice. Here sums of 64 exponentials that are right to six digits say
/// where the drawn point lies, and only when that is too close to the border between two tokens is it done exactly.

#include <cstdint>
#include <optional>
#include <random>
#include <span>
#include <vector>

#include "worker/engine/engine.hpp"
#include "worker/engine/llama/grammar/token_mask.hpp"

namespace worker::engine::llama {

class Draw {
public:
    /// `temperature` is above 0. `seed` as llama.cpp's: LLAMA_DEFAULT_SEED is a random one.
    Draw(std::uint32_t seed, float temperature);

    /// `allowed` as in `Candidates::look_at`; `maximum` is the largest logit of those, and above -inf.
    Token from(std::span<const float> logits, const grammar::TokenMask* allowed, float maximum);

private:
    std::optional<Token> nearly(std::span<const float> logits, float maximum, double point);
    Token exactly(std::span<const float> logits, const grammar::TokenMask* allowed, float maximum, double point) const;

    std::mt19937 random_;
    float temperature_;
    std::vector<double> sums_;  // of blocks
};

}  // namespace worker::engine::llama
