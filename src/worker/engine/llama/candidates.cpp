#include "worker/engine/llama/candidates.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>

namespace worker::engine::llama {
namespace {

constexpr float impossible = -std::numeric_limits<float>::infinity();
constexpr std::size_t block_tokens = grammar::TokenMask::word_tokens;
constexpr std::size_t lanes = 16;

using Lanes = std::array<float, lanes>;

// What to add to eight logits so that only those whose bit is set stay above -inf.
using ByteBias = std::array<float, 8>;
constexpr auto byte_biases = [] {
    std::array<ByteBias, 256> biases{};
    for (std::size_t byte = 0; byte < biases.size(); ++byte) {
        for (std::size_t bit = 0; bit < 8; ++bit) {
            biases[byte][bit] = (byte >> bit & 1U) != 0 ? 0.0F : impossible;
        }
    }
    return biases;
}();

float largest_of(const Lanes& values) {
    return *std::ranges::max_element(values);
}

// Written over lanes so that the compiler uses vector registers: a plain maximum of floats must keep its order.
float block_maximum(const float* logits) {
    Lanes best;
    best.fill(impossible);
    for (std::size_t first = 0; first < block_tokens; first += lanes) {
        for (std::size_t lane = 0; lane < lanes; ++lane) {
            best[lane] = best[lane] < logits[first + lane] ? logits[first + lane] : best[lane];
        }
    }
    return largest_of(best);
}

float block_maximum(const float* logits, std::uint64_t allowed) {
    if (allowed == 0) {
        return impossible;
    }
    ByteBias best;
    best.fill(impossible);
    for (std::size_t byte = 0; byte < block_tokens / 8; ++byte) {
        const ByteBias& bias = byte_biases[allowed >> (8 * byte) & 0xFFU];
        for (std::size_t lane = 0; lane < 8; ++lane) {
            const float logit = logits[8 * byte + lane] + bias[lane];
            best[lane] = best[lane] < logit ? logit : best[lane];
        }
    }
    return *std::ranges::max_element(best);
}

bool comes_before(const llama_token_data& one, const llama_token_data& other) {
    return one.logit > other.logit || (one.logit == other.logit && one.id < other.id);
}

}  // namespace

template <typename Visit>
void Candidates::visit_block(std::size_t block, Visit visit) const {
    const auto first = block * block_tokens;
    const auto size = std::min(block_tokens, logits_.size() - first);
    const std::uint64_t allowed = allowed_ == nullptr ? ~std::uint64_t{0} : allowed_->word(block);
    if (allowed == ~std::uint64_t{0}) {
        for (std::size_t token = first; token < first + size; ++token) {
            visit(static_cast<Token>(token), logits_[token]);
        }
        return;
    }
    for (auto rest = allowed; rest != 0; rest &= rest - 1) {
        const auto token = first + static_cast<std::size_t>(std::countr_zero(rest));
        visit(static_cast<Token>(token), logits_[token]);
    }
}

void Candidates::look_at(std::span<const float> logits, const grammar::TokenMask* allowed) {
    logits_ = logits;
    allowed_ = allowed;
    block_maxima_.resize((logits.size() + block_tokens - 1) / block_tokens);
    const auto whole_blocks = logits.size() / block_tokens;
    for (std::size_t block = 0; block < whole_blocks; ++block) {
        const float* first = logits.data() + block * block_tokens;
        block_maxima_[block] = allowed == nullptr ? block_maximum(first) : block_maximum(first, allowed->word(block));
    }
    if (whole_blocks < block_maxima_.size()) {
        float& last = block_maxima_.back();
        last = impossible;
        visit_block(whole_blocks, [&last](Token, float logit) { last = std::max(last, logit); });
    }
    maximum_ = block_maxima_.empty() ? impossible : *std::ranges::max_element(block_maxima_);
}

bool Candidates::empty() const {
    return maximum_ == impossible;
}

Token Candidates::likeliest() const {
    const auto block = static_cast<std::size_t>(std::ranges::find(block_maxima_, maximum_) - block_maxima_.begin());
    Token found = -1;
    visit_block(block, [&](Token token, float logit) { found = found < 0 && logit == maximum_ ? token : found; });
    return found;
}

std::vector<llama_token_data> Candidates::at_least(float least) const {
    std::vector<llama_token_data> found;
    for (std::size_t block = 0; block < block_maxima_.size(); ++block) {
        if (block_maxima_[block] >= least) {
            visit_block(block, [&](Token token, float logit) {
                if (logit >= least) {
                    found.push_back({.id = token, .logit = logit, .p = 0});
                }
            });
        }
    }
    return found;
}

std::vector<llama_token_data> Candidates::all() const {
    std::vector<llama_token_data> found(logits_.size());
    std::size_t count = 0;
    for (std::size_t block = 0; block < block_maxima_.size(); ++block) {
        visit_block(block, [&](Token token, float logit) {
            found[count] = {.id = token, .logit = logit, .p = 0};
            count += logit > impossible ? 1U : 0U;  // no branch: it would be guessed wrong too often
        });
    }
    found.resize(count);
    return found;
}

std::vector<llama_token_data> Candidates::largest(std::size_t count) const {
    // The count-th largest of the blocks' maxima has count-1 others above it, so the count-th largest of all is not
    // below it.
    float least = std::numeric_limits<float>::lowest();
    if (count > 0 && count < block_maxima_.size()) {
        auto maxima = block_maxima_;
        const auto nth = maxima.begin() + static_cast<std::ptrdiff_t>(count - 1);
        std::ranges::nth_element(maxima, nth, std::greater{});
        least = std::max(least, *nth);
    }
    auto found = at_least(least);
    count = std::min(count, found.size());
    const auto end = found.begin() + static_cast<std::ptrdiff_t>(count);
    std::nth_element(found.begin(), end, found.end(), comes_before);
    std::sort(found.begin(), end, comes_before);
    found.resize(count);
    return found;
}

float Candidates::exponential_sum() const {
    // exp(-17.5) is less than 2^-25: beside a sum of at least 1 it is less than half of the last bit, and adding it
    // changes nothing. The same holds, scaled, before the maximum has been added.
    constexpr float lost = 17.5F;
    float sum = 0;
    float before = impossible;  // the largest logit added so far
    for (std::size_t block = 0; block < block_maxima_.size(); ++block) {
        if (block_maxima_[block] == impossible || block_maxima_[block] < before - lost) {
            continue;
        }
        visit_block(block, [&](Token, float logit) {
            if (logit >= before - lost) {
                sum += std::exp(logit - maximum_);
                before = std::max(before, logit);
            }
        });
    }
    return sum;
}

float log_sum_exp(std::span<const float> logits) {
    Lanes best;
    best.fill(impossible);
    const auto whole = logits.size() / lanes * lanes;
    for (std::size_t first = 0; first < whole; first += lanes) {
        for (std::size_t lane = 0; lane < lanes; ++lane) {
            best[lane] = best[lane] < logits[first + lane] ? logits[first + lane] : best[lane];
        }
    }
    float maximum = largest_of(best);
    for (std::size_t rest = whole; rest < logits.size(); ++rest) {
        maximum = std::max(maximum, logits[rest]);
    }
    double sum = 0;
    for (const float logit : logits) {
        // exp(-40) of each of a million tokens would still be far below what a float can tell.
        if (logit > maximum - 40) {
            sum += std::exp(logit - maximum);
        }
    }
    return maximum + static_cast<float>(std::log(sum));
}

}  // namespace worker::engine::llama
