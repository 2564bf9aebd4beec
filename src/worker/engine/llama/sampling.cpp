#include "worker/engine/llama/sampling.hpp"

#include <fmt/format.h>
#include <llama.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace worker::engine::llama {
namespace {

using base::ErrorCode;
using base::fail;

constexpr float forbidding_bias = -100;

}  // namespace

base::Result<common_params_sampling> sampling_of(const contract::Sampling& sampling, const llama_vocab* vocab,
                                                 std::size_t context_tokens) {
    common_params_sampling params;
    const auto set = [](auto& target, bool given, auto value) {
        if (given) {
            target = value;
        }
    };
    params.no_perf = true;
    params.temp = 1;
    set(params.temp, sampling.has_temperature(), sampling.temperature());
    set(params.top_p, sampling.has_top_p(), sampling.top_p());
    set(params.top_k, sampling.has_top_k(), sampling.top_k());
    set(params.min_p, sampling.has_min_p(), sampling.min_p());
    set(params.typ_p, sampling.has_typical_p(), sampling.typical_p());
    set(params.penalty_freq, sampling.has_frequency_penalty(), sampling.frequency_penalty());
    set(params.penalty_present, sampling.has_presence_penalty(), sampling.presence_penalty());
    set(params.penalty_repeat, sampling.has_repeat_penalty(), sampling.repeat_penalty());
    set(params.penalty_last_n, sampling.has_repeat_last_n(), sampling.repeat_last_n());
    set(params.dry_multiplier, sampling.has_dry_multiplier(), sampling.dry_multiplier());
    set(params.dry_base, sampling.has_dry_base(), sampling.dry_base());
    set(params.dry_allowed_length, sampling.has_dry_allowed_length(), sampling.dry_allowed_length());
    set(params.dry_penalty_last_n, sampling.has_dry_penalty_last_n(), sampling.dry_penalty_last_n());
    set(params.xtc_probability, sampling.has_xtc_probability(), sampling.xtc_probability());
    set(params.xtc_threshold, sampling.has_xtc_threshold(), sampling.xtc_threshold());
    set(params.mirostat, sampling.has_mirostat(), sampling.mirostat());
    set(params.mirostat_tau, sampling.has_mirostat_tau(), sampling.mirostat_tau());
    set(params.mirostat_eta, sampling.has_mirostat_eta(), sampling.mirostat_eta());
    set(params.dynatemp_range, sampling.has_dynamic_temperature_range(), sampling.dynamic_temperature_range());
    set(params.dynatemp_exponent, sampling.has_dynamic_temperature_exponent(), sampling.dynamic_temperature_exponent());
    set(params.top_n_sigma, sampling.has_top_n_sigma(), sampling.top_n_sigma());
    if (sampling.dry_sequence_breakers_size() > 0) {
        params.dry_sequence_breakers = {sampling.dry_sequence_breakers().begin(),
                                        sampling.dry_sequence_breakers().end()};
    }

    const struct {
        const char* name;
        float value;
    } numbers[] = {{"temperature", params.temp},
                   {"top_p", params.top_p},
                   {"min_p", params.min_p},
                   {"typical_p", params.typ_p},
                   {"frequency_penalty", params.penalty_freq},
                   {"presence_penalty", params.penalty_present},
                   {"repeat_penalty", params.penalty_repeat},
                   {"dry_multiplier", params.dry_multiplier},
                   {"dry_base", params.dry_base},
                   {"xtc_probability", params.xtc_probability},
                   {"xtc_threshold", params.xtc_threshold},
                   {"mirostat_tau", params.mirostat_tau},
                   {"mirostat_eta", params.mirostat_eta},
                   {"dynamic_temperature_range", params.dynatemp_range},
                   {"dynamic_temperature_exponent", params.dynatemp_exponent},
                   {"top_n_sigma", params.top_n_sigma}};
    for (const auto& [name, value] : numbers) {
        if (!std::isfinite(value)) {
            return fail(ErrorCode::invalid, "Must be a finite number.", fmt::format("sampling.{}", name));
        }
    }
    if (params.penalty_repeat <= 0 || !std::isfinite(1 / params.penalty_repeat)) {
        return fail(ErrorCode::invalid, "Must be above 0.", "sampling.repeat_penalty");
    }
    if (params.mirostat < 0 || params.mirostat > 2) {
        return fail(ErrorCode::invalid, "Must be 0, 1 or 2.", "sampling.mirostat");
    }
    // -1 means the whole context; the samplers allocate as much as they are told to look back.
    const auto context = static_cast<std::int32_t>(context_tokens);
    for (auto* window : {&params.penalty_last_n, &params.dry_penalty_last_n}) {
        *window = *window < 0 ? context : std::min(*window, context);
    }
    params.n_prev = std::max(params.n_prev, params.penalty_last_n);

    for (const auto& [token, bias] : sampling.logit_bias()) {
        if (token < 0 || token >= llama_vocab_n_tokens(vocab) || std::isnan(bias)) {
            return fail(ErrorCode::invalid, "Keys are token ids of this model, values numbers.",
                        fmt::format("sampling.logit_bias.{}", token));
        }
        params.logit_bias.push_back(
            {.token = token, .bias = bias <= forbidding_bias ? -std::numeric_limits<float>::infinity() : bias});
    }
    return params;
}

std::uint32_t seed_of_choice(std::uint32_t seed, std::uint32_t choice) {
    const std::uint32_t sum = seed + choice;
    return sum == LLAMA_DEFAULT_SEED ? sum / 2 : sum;  // far from the sums of its neighbours
}

}  // namespace worker::engine::llama
