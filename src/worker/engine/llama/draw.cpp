#include "worker/engine/llama/draw.hpp"

#include <llama.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

namespace worker::engine::llama {
namespace {

constexpr std::size_t block_tokens = 64;
constexpr std::size_t lanes = 16;

// Of a sum of exponentials: 2^-22 by adding four floats to a lane, and less by the exponentials, ours and the exact ones.
// Both the point and the sum up to it may be wrong by as much.
constexpr double sure = 1.2e-6;

// For x from -87 to 0, to within two units in the last place: 2^n times a short series. Written so that compilers use
// vector registers.
float exponential(float x) {
    constexpr float to_integer = 12582912;  // 1.5 * 2^23: adding it leaves no place for fractions
    constexpr float log2_e = 1.44269504F;
    constexpr float ln_2_high = 0.693359375F;  // times n exact
    constexpr float ln_2_low = -2.12194440e-4F;
    const float n = (x * log2_e + to_integer) - to_integer;
    const float r = (x - n * ln_2_high) - n * ln_2_low;
    float series = 1.0F / 5040;
    for (const float term : {1.0F / 720, 1.0F / 120, 1.0F / 24, 1.0F / 6, 0.5F, 1.0F, 1.0F}) {
        series = series * r + term;
    }
    return series * std::bit_cast<float>((static_cast<std::int32_t>(n) + 127) << 23);
}

double block_sum(const float* logits, float temperature, float largest) {
    std::array<float, lanes> sums{};
    for (std::size_t first = 0; first < block_tokens; first += lanes) {
        for (std::size_t lane = 0; lane < lanes; ++lane) {
            sums[lane] += exponential(std::max(logits[first + lane] / temperature - largest, -87.0F));
        }
    }
    return std::accumulate(sums.begin(), sums.end(), 0.0);
}

}  // namespace

Draw::Draw(std::uint32_t seed, float temperature)
    : random_(seed == LLAMA_DEFAULT_SEED ? std::random_device{}() : seed), temperature_(temperature) {}

Token Draw::from(std::span<const float> logits, const grammar::TokenMask* allowed, float maximum) {
    const double point = std::uniform_real_distribution<double>(0, 1)(random_);
    if (allowed == nullptr) {
        if (const auto token = nearly(logits, maximum, point)) {
            return *token;
        }
    }
    return exactly(logits, allowed, maximum, point);
}

std::optional<Token> Draw::nearly(std::span<const float> logits, float maximum, double point) {
    const float largest = maximum / temperature_;
    const std::size_t whole = logits.size() / block_tokens;
    sums_.assign(whole + 1, 0);
    for (std::size_t block = 0; block < whole; ++block) {
        sums_[block] = block_sum(logits.data() + block * block_tokens, temperature_, largest);
    }
    for (std::size_t token = whole * block_tokens; token < logits.size(); ++token) {
        sums_[whole] += std::exp(logits[token] / temperature_ - largest);
    }
    const double sum = std::accumulate(sums_.begin(), sums_.end(), 0.0);
    const double target = sum * point;
    double before = 0;
    std::size_t block = 0;
    while (block < whole && before + sums_[block] < target) {
        before += sums_[block++];
    }
    for (std::size_t token = block * block_tokens; token < logits.size(); ++token) {
        const double after = before + std::exp(logits[token] / temperature_ - largest);
        if (before + sure * sum > target) {
            return std::nullopt;
        }
        if (after - sure * sum > target) {
            return static_cast<Token>(token);
        }
        before = after;
    }
    return std::nullopt;
}

Token Draw::exactly(std::span<const float> logits, const grammar::TokenMask* allowed, float maximum,
                    double point) const {
    const float largest = maximum / temperature_;
    const auto visit = [&](auto look) {
        for (Token token = 0; token < static_cast<Token>(logits.size()); ++token) {
            const float logit = logits[static_cast<std::size_t>(token)];
            if (logit > -std::numeric_limits<float>::infinity() && (allowed == nullptr || allowed->contains(token)) &&
                !look(token, std::exp(logit / temperature_ - largest))) {
                return;
            }
        }
    };
    double sum = 0;
    visit([&](Token, float exponential) {
        sum += exponential;
        return true;
    });
    const double target = sum * point;
    double reached = 0;
    Token chosen = -1;
    visit([&](Token token, float exponential) {
        chosen = token;
        reached += exponential;
        return reached < target;
    });
    return chosen;
}

}  // namespace worker::engine::llama
