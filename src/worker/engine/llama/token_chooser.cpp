#include "worker/engine/llama/token_chooser.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace worker::engine::llama {
namespace {

// How many of the likeliest tokens are looked at for top-p, one after the other: most often the first are enough.
constexpr std::size_t nucleus_sizes[] = {256, 2048, 16384, std::numeric_limits<std::size_t>::max()};

llama_sampler_ptr dry(const llama_vocab* vocab, const common_params_sampling& params) {
    std::vector<const char*> breakers;
    for (const std::string& text : params.dry_sequence_breakers) {
        breakers.push_back(text.c_str());
    }
    return llama_sampler_ptr(llama_sampler_init_dry(vocab, params.dry_multiplier, params.dry_base,
                                                    params.dry_allowed_length, params.dry_penalty_last_n,
                                                    breakers.data(), vocab == nullptr ? 0 : breakers.size()));
}

bool likeliest_is_wanted(const common_params_sampling& params) {
    return params.mirostat == 0 && params.temp <= 0 && params.dynatemp_range <= 0 && params.typ_p >= 1 &&
           params.xtc_probability <= 0;
}

bool everything_is_wanted(const common_params_sampling& params) {
    return params.mirostat == 0 && params.temp > 0 && params.dynatemp_range <= 0 && params.top_n_sigma <= 0 &&
           params.top_k <= 0 && params.typ_p >= 1 && params.top_p >= 1 && params.min_p <= 0 &&
           params.xtc_probability <= 0;
}

}  // namespace

// Puts the changed logits into the row, and the old ones back.
class TokenChooser::Modified {
public:
    Modified(std::span<float> logits, const std::vector<llama_token_data>& changed) : logits_(logits) {
        for (const auto& [token, logit, probability] : changed) {
            old_.emplace_back(token, std::exchange(logits_[static_cast<std::size_t>(token)], logit));
        }
    }
    Modified(const Modified&) = delete;
    Modified& operator=(const Modified&) = delete;
    ~Modified() {
        for (const auto& [token, logit] : old_) {
            logits_[static_cast<std::size_t>(token)] = logit;
        }
    }

private:
    std::span<float> logits_;
    std::vector<std::pair<Token, float>> old_;
};

TokenChooser::TokenChooser(const llama_vocab* vocab, const common_params_sampling& params)
    : params_(params), biases_(params.logit_bias) {
    std::int32_t suppressed = 0;
    const Token* tokens = vocab == nullptr ? nullptr : llama_vocab_get_suppress_tokens(vocab, &suppressed);
    for (std::int32_t index = 0; index < suppressed; ++index) {
        biases_.push_back({.token = tokens[index], .bias = -std::numeric_limits<float>::infinity()});
    }
    if (params.mirostat != 0) {
        const auto vocabulary = vocab == nullptr ? 0 : llama_vocab_n_tokens(vocab);
        whole_.emplace_back(llama_sampler_init_temp(params.temp));
        whole_.emplace_back(
            params.mirostat == 1
                ? llama_sampler_init_mirostat(vocabulary, params.seed, params.mirostat_tau, params.mirostat_eta, 100)
                : llama_sampler_init_mirostat_v2(params.seed, params.mirostat_tau, params.mirostat_eta));
        return;
    }
    if (everything_is_wanted(params)) {
        draw_.emplace(params.seed, params.temp);
    }
    const bool penalties = params.penalty_last_n != 0 &&
                           (params.penalty_repeat != 1 || params.penalty_freq != 0 || params.penalty_present != 0);
    const bool repetitions = params.dry_multiplier != 0 && params.dry_base >= 1 && params.dry_penalty_last_n != 0;
    if (penalties) {
        modifiers_.emplace_back(llama_sampler_init_penalties(vocab == nullptr ? 0 : llama_vocab_n_tokens(vocab),
                                                             params.penalty_last_n, params.penalty_repeat,
                                                             params.penalty_freq, params.penalty_present));
    }
    if (repetitions) {
        modifiers_.push_back(dry(vocab, params));
    }
    window_.size = static_cast<std::size_t>(
        std::max({0, penalties ? params.penalty_last_n : 0, repetitions ? params.dry_penalty_last_n : 0}));
    whole_.emplace_back(llama_sampler_init_top_n_sigma(params.top_n_sigma));
    whole_.emplace_back(llama_sampler_init_top_k(params.top_k));
    const auto least = static_cast<std::size_t>(std::max(0, params.min_keep));
    for (auto* step : {llama_sampler_init_typical(params.typ_p, least), llama_sampler_init_top_p(params.top_p, least),
                       llama_sampler_init_min_p(params.min_p, least),
                       llama_sampler_init_xtc(params.xtc_probability, params.xtc_threshold, least, params.seed),
                       llama_sampler_init_temp_ext(params.temp, params.dynatemp_range, params.dynatemp_exponent),
                       llama_sampler_init_dist(params.seed)}) {
        steps_.emplace_back(step);
    }
}

Token TokenChooser::choose(std::span<float> logits, const grammar::TokenMask* allowed) {
    const Modified changed(logits, modified(logits));
    candidates_.look_at(logits, allowed);
    if (candidates_.empty()) {
        throw FormatDeadEnd("no token is possible");
    }
    if (likeliest_is_wanted(params_)) {
        return candidates_.likeliest();
    }
    if (draw_) {
        return draw_->from(logits, allowed, candidates_.maximum());
    }
    const auto chosen = from_few();
    return chosen ? *chosen : from_all();
}

void TokenChooser::accept(Token token) {
    for (const auto& modifier : modifiers_) {
        llama_sampler_accept(modifier.get(), token);
    }
    if (window_.size == 0) {
        return;
    }
    auto& [size, tokens, counts] = window_;
    tokens.push_back(token);
    ++counts[token];
    if (tokens.size() > size) {
        const auto gone = counts.find(tokens[tokens.size() - 1 - size]);
        if (--gone->second == 0) {
            counts.erase(gone);
        }
    }
}

std::vector<llama_token_data> TokenChooser::modified(std::span<const float> logits) {
    std::vector<llama_token_data> changed;
    const auto add = [&](Token token) {
        changed.push_back({.id = token, .logit = logits[static_cast<std::size_t>(token)], .p = 0});
    };
    for (const auto& bias : biases_) {
        add(bias.token);
    }
    for (const auto& [token, count] : window_.counts) {
        add(token);
    }
    std::ranges::sort(changed, {}, &llama_token_data::id);
    const auto doubled = std::ranges::unique(changed, {}, &llama_token_data::id);
    changed.erase(doubled.begin(), doubled.end());
    for (const auto& bias : biases_) {
        std::ranges::lower_bound(changed, bias.token, {}, &llama_token_data::id)->logit += bias.bias;
    }
    llama_token_data_array array{.data = changed.data(), .size = changed.size(), .selected = -1, .sorted = false};
    for (const auto& modifier : modifiers_) {
        llama_sampler_apply(modifier.get(), &array);
    }
    return changed;
}

std::optional<Token> TokenChooser::from_few() {
    if (params_.mirostat != 0 || params_.top_n_sigma > 0) {
        return std::nullopt;
    }
    if (params_.top_k > 0) {
        const auto count = static_cast<std::size_t>(params_.top_k);
        return from_sorted(candidates_.largest(count + 1), count, typical);
    }
    if (params_.typ_p < 1) {
        return std::nullopt;
    }
    if (params_.top_p < 1) {
        return from_nucleus();
    }
    if (params_.min_p > 0 && params_.min_keep <= 0) {
        return run(candidates_.at_least(candidates_.maximum() + std::log(params_.min_p)), false, xtc);
    }
    return std::nullopt;
}

// Adds up and compares in the order and precision of llama.cpp's top-p sampler.
std::optional<Token> TokenChooser::from_nucleus() {
    if (params_.min_keep > 0) {
        return std::nullopt;
    }
    const float sum = candidates_.exponential_sum();
    for (const std::size_t size : nucleus_sizes) {
        auto best = candidates_.largest(size);
        const bool whole = best.size() < size;
        float reached = 0;
        std::size_t count = 0;
        do {
            auto& candidate = best[count++];
            candidate.p = std::exp(candidate.logit - candidates_.maximum()) / sum;
            reached += candidate.p;
        } while (count < best.size() && reached < params_.top_p);
        // Whether the last one has an equal must be known too.
        if (count < best.size() || whole) {
            return from_sorted(std::move(best), count, min_p);
        }
    }
    return std::nullopt;
}

std::optional<Token> TokenChooser::from_sorted(std::vector<llama_token_data> best, std::size_t count, Step first) {
    count = std::min(count, best.size());
    best.resize(std::min(count + 1, best.size()));
    if (std::ranges::adjacent_find(best, {}, &llama_token_data::logit) == best.end()) {
        best.resize(count);
        return run(std::move(best), true, first);
    }
    llama_sampler_ptr xtc_before(llama_sampler_clone(steps_[xtc].get()));
    llama_sampler_ptr draw_before(llama_sampler_clone(steps_[draw].get()));
    const Token chosen = run({best.begin(), best.begin() + static_cast<std::ptrdiff_t>(count)}, true, first);
    const auto logit = std::ranges::find(best, chosen, &llama_token_data::id)->logit;
    if (std::ranges::count(best, logit, &llama_token_data::logit) == 1) {
        return chosen;
    }
    steps_[xtc] = std::move(xtc_before);
    steps_[draw] = std::move(draw_before);
    return std::nullopt;
}

Token TokenChooser::from_all() {
    auto every = candidates_.all();
    llama_token_data_array array{.data = every.data(), .size = every.size(), .selected = -1, .sorted = false};
    for (const auto& sampler : whole_) {
        llama_sampler_apply(sampler.get(), &array);
    }
    for (const auto& sampler : steps_) {
        llama_sampler_apply(sampler.get(), &array);
    }
    return array.data[array.selected].id;
}

Token TokenChooser::run(std::vector<llama_token_data> candidates, bool sorted, Step first) {
    llama_token_data_array array{
        .data = candidates.data(), .size = candidates.size(), .selected = -1, .sorted = sorted};
    for (std::size_t step = first; step < steps_.size(); ++step) {
        llama_sampler_apply(steps_[step].get(), &array);
    }
    return array.data[array.selected].id;
}

}  // namespace worker::engine::llama
