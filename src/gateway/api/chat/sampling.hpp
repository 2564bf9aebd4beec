#pragma once

/// How the next token is chosen: OpenAI's fields and those of llama.cpp and vLLM. What is absent is the model's or the
/// worker's default.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine.pb.h"
#include "schema/object.hpp"

namespace gateway::api::chat {

struct SamplingFields {
    std::optional<double> temperature;
    std::optional<double> top_p;
    std::optional<double> frequency_penalty;
    std::optional<double> presence_penalty;
    std::optional<std::int64_t> seed;
    std::optional<std::map<std::string, double>> logit_bias;

    // Extensions.
    std::optional<std::int32_t> top_k;
    std::optional<double> min_p;
    std::optional<double> typical_p;
    std::optional<double> top_n_sigma;
    std::optional<double> repeat_penalty;
    std::optional<double> repetition_penalty;
    std::optional<std::int32_t> repeat_last_n;
    std::optional<double> dynatemp_range;
    std::optional<double> dynatemp_exponent;
    std::optional<double> dry_multiplier;
    std::optional<double> dry_base;
    std::optional<std::int32_t> dry_allowed_length;
    std::optional<std::int32_t> dry_penalty_last_n;
    std::optional<std::vector<std::string>> dry_sequence_breakers;
    std::optional<double> xtc_probability;
    std::optional<double> xtc_threshold;
    std::optional<std::int32_t> mirostat;
    std::optional<double> mirostat_tau;
    std::optional<double> mirostat_eta;
    std::optional<bool> ignore_eos;
    std::optional<std::int32_t> min_tokens;
};

const schema::Object<SamplingFields>& describe(schema::Type<SamplingFields>);

/// Writes every field that is present; `ignore_eos` and `min_tokens` belong to the job and are left out.
void to_sampling(const SamplingFields& fields, llm_gateway::engine::v1::Sampling& sampling);

}  // namespace gateway::api::chat
