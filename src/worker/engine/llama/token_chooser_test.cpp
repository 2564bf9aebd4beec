#include "worker/engine/llama/token_chooser.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>
#include <set>

namespace worker::engine::llama {
namespace {

constexpr float impossible = -std::numeric_limits<float>::infinity();

// llama.cpp's samplers over an array of the whole vocabulary, as its `common` library puts them together.
class Reference {
public:
    Reference(const common_params_sampling& params, std::size_t vocabulary)
        : chain_(llama_sampler_chain_init(llama_sampler_chain_default_params())) {
        const auto add = [this](llama_sampler* sampler) { llama_sampler_chain_add(chain_.get(), sampler); };
        const auto tokens = static_cast<std::int32_t>(vocabulary);
        add(llama_sampler_init_logit_bias(tokens, static_cast<std::int32_t>(params.logit_bias.size()),
                                          params.logit_bias.data()));
        if (params.mirostat == 2) {
            add(llama_sampler_init_temp(params.temp));
            add(llama_sampler_init_mirostat_v2(params.seed, params.mirostat_tau, params.mirostat_eta));
            return;
        }
        add(llama_sampler_init_penalties(tokens, params.penalty_last_n, params.penalty_repeat, params.penalty_freq,
                                         params.penalty_present));
        add(llama_sampler_init_dry(nullptr, params.dry_multiplier, params.dry_base, params.dry_allowed_length,
                                   params.dry_penalty_last_n, nullptr, 0));
        add(llama_sampler_init_top_n_sigma(params.top_n_sigma));
        add(llama_sampler_init_top_k(params.top_k));
        add(llama_sampler_init_typical(params.typ_p, 0));
        add(llama_sampler_init_top_p(params.top_p, 0));
        add(llama_sampler_init_min_p(params.min_p, 0));
        add(llama_sampler_init_xtc(params.xtc_probability, params.xtc_threshold, 0, params.seed));
        add(llama_sampler_init_temp_ext(params.temp, params.dynatemp_range, params.dynatemp_exponent));
        add(llama_sampler_init_dist(params.seed));
    }

    Token choose(const std::vector<float>& logits, const grammar::TokenMask* allowed, bool without_impossible) {
        std::vector<llama_token_data> all;
        for (Token token = 0; token < static_cast<Token>(logits.size()); ++token) {
            const bool may = allowed == nullptr || allowed->contains(token);
            if (may || !without_impossible) {
                all.push_back({.id = token, .logit = may ? logits[static_cast<std::size_t>(token)] : impossible});
            }
        }
        llama_token_data_array array{.data = all.data(), .size = all.size(), .selected = -1, .sorted = false};
        llama_sampler_apply(chain_.get(), &array);
        return array.data[array.selected].id;
    }

    void accept(Token token) { llama_sampler_accept(chain_.get(), token); }

private:
    llama_sampler_ptr chain_;
};

struct Dice {
    std::mt19937 random;

    bool one_in(unsigned chances) { return random() % chances == 0; }
    float between(float least, float most) { return std::uniform_real_distribution<float>(least, most)(random); }
    std::size_t up_to(std::size_t most) { return std::uniform_int_distribution<std::size_t>(0, most)(random); }
};

common_params_sampling random_settings(Dice& dice, std::size_t vocabulary) {
    common_params_sampling params;
    params.seed = static_cast<std::uint32_t>(dice.random());
    params.top_k = dice.one_in(2) ? 0 : dice.one_in(8) ? static_cast<std::int32_t>(dice.up_to(vocabulary + 10)) : 40;
    params.top_p = dice.one_in(3) ? 1 : dice.one_in(20) ? 0 : dice.between(0, 1);
    params.min_p = dice.one_in(2) ? 0 : dice.between(0, 0.3F);
    params.temp = dice.one_in(5) ? 0 : dice.one_in(2) ? 1 : dice.between(0.1F, 2);
    params.typ_p = dice.one_in(8) ? dice.between(0.2F, 1) : 1;
    params.top_n_sigma = dice.one_in(12) ? dice.between(0.5F, 3) : -1;
    params.xtc_probability = dice.one_in(6) ? 0.5F : 0;
    params.dynatemp_range = dice.one_in(8) ? 0.5F : 0;
    params.mirostat = dice.one_in(20) ? 2 : 0;
    if (dice.one_in(3)) {
        params.penalty_last_n = static_cast<std::int32_t>(dice.up_to(12));
        params.penalty_repeat = dice.between(0.8F, 1.5F);
        params.penalty_freq = dice.between(-1, 1);
        params.penalty_present = dice.between(-1, 1);
    }
    if (dice.one_in(4)) {
        params.dry_multiplier = 0.8F;
        params.dry_allowed_length = 1;
        params.dry_penalty_last_n = 20;
    }
    std::set<Token> biased;
    while (dice.one_in(2)) {
        biased.insert(static_cast<Token>(dice.up_to(vocabulary - 1)));
    }
    for (const Token token : biased) {
        params.logit_bias.push_back({.token = token, .bias = dice.between(-10, 10)});
    }
    return params;
}

std::vector<float> random_logits(Dice& dice, std::size_t vocabulary, bool with_equals) {
    std::normal_distribution<float> logit(0, dice.between(0.2F, 8));
    std::vector<float> logits(vocabulary);
    for (float& each : logits) {
        each = with_equals ? std::round(4 * logit(dice.random)) / 4 : logit(dice.random);
    }
    // Repetitions, for what punishes them.
    for (std::size_t token = 0; token < std::min<std::size_t>(vocabulary, 4); ++token) {
        logits[token] += dice.between(0, 20);
    }
    return logits;
}

bool has_equals(std::vector<float> logits) {
    std::ranges::sort(logits);
    return std::ranges::adjacent_find(logits) != logits.end();
}

TEST(TokenChooser, ChoosesWhatTheSamplersChooseFromTheWholeVocabulary) {
    const auto seed = std::random_device{}();
    SCOPED_TRACE(seed);
    Dice dice{std::mt19937(seed)};
    for (int round = 0; round < 600; ++round) {
        const std::size_t vocabulary = 1 + dice.up_to(dice.one_in(30) ? 30000 : 2000);
        const auto params = random_settings(dice, vocabulary);
        const bool with_equals = dice.one_in(4);
        // XTC draws for two tokens and more: what cannot come would count.
        const bool counts_impossible =
            params.typ_p < 1 || params.dynatemp_range > 0 || params.mirostat != 0 || params.xtc_probability > 0;
        const bool likeliest = params.temp <= 0 && params.mirostat == 0;
        TokenChooser chooser(nullptr, params);
        Reference reference(params, vocabulary);
        for (int step = 0; step < 12; ++step) {
            auto logits = random_logits(dice, vocabulary, with_equals);
            const auto before = logits;
            grammar::TokenMask allowed(vocabulary);
            const auto share = dice.up_to(99);
            for (std::size_t token = 0; token < vocabulary; ++token) {
                if (dice.up_to(99) <= share) {
                    allowed.add(static_cast<Token>(token));
                }
            }
            const bool masked = dice.one_in(3) && allowed.count() > 0;
            const auto* mask = masked ? &allowed : nullptr;
            const Token chosen = chooser.choose(logits, mask);
            ASSERT_EQ(logits, before);
            // What cannot come takes part in how llama.cpp orders equals.
            const bool equals = has_equals(logits);
            const Token expected = reference.choose(logits, mask, equals || counts_impossible);
            // Of equals the reference takes any.
            if (!(likeliest && equals)) {
                ASSERT_EQ(chosen, expected) << "round " << round << " step " << step << " top_k " << params.top_k
                                            << " top_p " << params.top_p << " min_p " << params.min_p << " temp "
                                            << params.temp << " masked " << masked << " equals " << equals;
            }
            chooser.accept(chosen);
            reference.accept(chosen);
        }
    }
}

TEST(TokenChooser, TakesTheFirstOfSeveralLikeliestTokens) {
    common_params_sampling params;
    params.temp = 0;
    params.logit_bias = {{.token = 3, .bias = 2.0F}, {.token = 0, .bias = impossible}};
    TokenChooser chooser(nullptr, params);
    std::vector<float> logits = {9, 1, 3, 1};
    EXPECT_EQ(chooser.choose(logits, nullptr), 2);
}

TEST(TokenChooser, ADeadEndIsSaid) {
    TokenChooser chooser(nullptr, {});
    std::vector<float> logits = {1, 2, 3};
    const grammar::TokenMask none(3);
    EXPECT_THROW(chooser.choose(logits, &none), FormatDeadEnd);
    EXPECT_EQ(logits, (std::vector<float>{1, 2, 3}));
}

}  // namespace
}  // namespace worker::engine::llama
