#include "gateway/api/chat/sampling.hpp"

#include <algorithm>
#include <charconv>

namespace gateway::api::chat {
namespace {

constexpr const char* vllm_and_llama = "Extension of llama.cpp and vLLM. ";

std::optional<std::int32_t> to_token_id(const std::string& text) {
    std::int32_t id = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), id);
    if (error != std::errc{} || end != text.data() + text.size() || id < 0)
        return std::nullopt;
    return id;
}

std::optional<std::string> check_logit_bias(const std::optional<std::map<std::string, double>>& bias) {
    for (const auto& [token, value] : bias.value_or(std::map<std::string, double>{}))
        if (!to_token_id(token))
            return "must have token ids as keys, not \"" + token + "\"";
    return std::nullopt;
}

/// OpenAI's seeds have 64 bits, the engine's 32. Small seeds stay what they are, so that llama.cpp users find the same
/// answers; the highest one is the engine's "draw one", so it is never the result.
std::uint32_t to_seed(std::int64_t seed) {
    const auto bits = static_cast<std::uint64_t>(seed);
    const auto folded = static_cast<std::uint32_t>(bits ^ bits >> 32);
    return folded == UINT32_MAX ? UINT32_MAX - 1 : folded;
}

std::string extension(std::string doc) {
    return vllm_and_llama + std::move(doc);
}

}  // namespace

const schema::Object<SamplingFields>& describe(schema::Type<SamplingFields>) {
    using F = SamplingFields;
    static const auto table =
        schema::Object<F>("Sampling", "How the next token is chosen.")
            .field("temperature", &F::temperature,
                   {.doc = "0 takes the likeliest token each time, larger is more varied. Default 1.",
                    .minimum = 0,
                    .maximum = 2,
                    .example = 0.7})
            .field("top_p", &F::top_p,
                   {.doc = "Only the likeliest tokens that together have this probability are considered.",
                    .minimum = 0,
                    .maximum = 1})
            .field("frequency_penalty", &F::frequency_penalty,
                   {.doc = "Makes tokens less likely the more often they have occurred.", .minimum = -2, .maximum = 2})
            .field("presence_penalty", &F::presence_penalty,
                   {.doc = "Makes tokens less likely once they have occurred.", .minimum = -2, .maximum = 2})
            .field("seed", &F::seed,
                   {.doc = "The same seed and the same request give the same answer. Default, and for -1: drawn.",
                    .example = 1})
            .field("logit_bias", &F::logit_bias,
                   {.doc = "Token id to a number that is added to its logit; -100 forbids the token.",
                    .minimum = -100,
                    .maximum = 100},
                   check_logit_bias)
            .field("top_k", &F::top_k,
                   {.doc = extension("Only the k likeliest tokens are considered; 0 or -1: all."), .minimum = -1})
            .field("min_p", &F::min_p,
                   {.doc = extension("Drops tokens less likely than this share of the likeliest."),
                    .minimum = 0,
                    .maximum = 1})
            .field("typical_p", &F::typical_p,
                   {.doc = extension("Locally typical sampling; 1 switches it off."), .minimum = 0, .maximum = 1})
            .field("top_n_sigma", &F::top_n_sigma,
                   {.doc = extension("Keeps tokens within n standard deviations of the best logit; -1: off.")})
            .field(
                "repeat_penalty", &F::repeat_penalty,
                {.doc = extension("Divides the logits of recent tokens; 1 switches it off."), .exclusive_minimum = 0})
            .field("repetition_penalty", &F::repetition_penalty,
                   {.doc = "Extension of vLLM. As `repeat_penalty`.", .exclusive_minimum = 0})
            .field("repeat_last_n", &F::repeat_last_n,
                   {.doc = extension("How many recent tokens the penalties look at; 0: none, -1: the whole context."),
                    .minimum = -1})
            .field("dynatemp_range", &F::dynatemp_range,
                   {.doc = extension("Dynamic temperature: temperature plus or minus this; 0: off."), .minimum = 0})
            .field("dynatemp_exponent", &F::dynatemp_exponent,
                   {.doc = extension("How entropy maps to the dynamic temperature.")})
            .field("dry_multiplier", &F::dry_multiplier,
                   {.doc = extension("Strength of the DRY penalty on repeated sequences; 0: off."), .minimum = 0})
            .field("dry_base", &F::dry_base, {.doc = extension("Growth of the DRY penalty with the length.")})
            .field("dry_allowed_length", &F::dry_allowed_length,
                   {.doc = extension("Longest repetition that the DRY penalty leaves alone."), .minimum = 0})
            .field("dry_penalty_last_n", &F::dry_penalty_last_n,
                   {.doc = extension("How many tokens the DRY penalty looks at; 0: none, -1: the whole context."),
                    .minimum = -1})
            .field("dry_sequence_breakers", &F::dry_sequence_breakers,
                   {.doc = extension("Strings that end a repetition."), .max_items = 64})
            .field("xtc_probability", &F::xtc_probability,
                   {.doc = extension("How often the likeliest tokens are removed."), .minimum = 0, .maximum = 1})
            .field("xtc_threshold", &F::xtc_threshold,
                   {.doc = extension("Which tokens count as likeliest there."), .minimum = 0, .maximum = 1})
            .field("mirostat", &F::mirostat,
                   {.doc = extension("Mirostat 1 or 2 instead of the other samplers; 0: off."),
                    .minimum = 0,
                    .maximum = 2})
            .field("mirostat_tau", &F::mirostat_tau, {.doc = extension("Target entropy."), .minimum = 0})
            .field("mirostat_eta", &F::mirostat_eta, {.doc = extension("Learning rate."), .minimum = 0})
            .field("ignore_eos", &F::ignore_eos, {.doc = extension("Generate past the end of the answer.")})
            .field("min_tokens", &F::min_tokens,
                   {.doc = extension("Generate at least so many tokens."), .minimum = 0, .maximum = 1000000})
            .check([](const F& fields, const schema::Reading& reading) {
                if (fields.repeat_penalty && fields.repetition_penalty)
                    reading.at("repetition_penalty")
                        .fault(schema::FaultKind::rule, "cannot be given together with repeat_penalty");
            });
    return table;
}

void to_sampling(const SamplingFields& fields, llm_gateway::engine::v1::Sampling& sampling) {
    using S = llm_gateway::engine::v1::Sampling;
    const auto number = [&](const std::optional<double>& value, void (S::*set)(float)) {
        if (value)
            (sampling.*set)(static_cast<float>(*value));
    };
    const auto integer = [&](const std::optional<std::int32_t>& value, void (S::*set)(std::int32_t)) {
        if (value)
            (sampling.*set)(*value);
    };
    number(fields.temperature, &S::set_temperature);
    number(fields.top_p, &S::set_top_p);
    number(fields.frequency_penalty, &S::set_frequency_penalty);
    number(fields.presence_penalty, &S::set_presence_penalty);
    number(fields.min_p, &S::set_min_p);
    number(fields.typical_p, &S::set_typical_p);
    number(fields.top_n_sigma, &S::set_top_n_sigma);
    number(fields.repeat_penalty ? fields.repeat_penalty : fields.repetition_penalty, &S::set_repeat_penalty);
    number(fields.dynatemp_range, &S::set_dynamic_temperature_range);
    number(fields.dynatemp_exponent, &S::set_dynamic_temperature_exponent);
    number(fields.dry_multiplier, &S::set_dry_multiplier);
    number(fields.dry_base, &S::set_dry_base);
    number(fields.xtc_probability, &S::set_xtc_probability);
    number(fields.xtc_threshold, &S::set_xtc_threshold);
    number(fields.mirostat_tau, &S::set_mirostat_tau);
    number(fields.mirostat_eta, &S::set_mirostat_eta);
    integer(fields.repeat_last_n, &S::set_repeat_last_n);
    integer(fields.dry_allowed_length, &S::set_dry_allowed_length);
    integer(fields.dry_penalty_last_n, &S::set_dry_penalty_last_n);
    integer(fields.mirostat, &S::set_mirostat);
    if (fields.top_k)
        sampling.set_top_k(std::max(*fields.top_k, 0));
    if (fields.seed && *fields.seed != -1)
        sampling.set_seed(to_seed(*fields.seed));
    if (fields.logit_bias)
        for (const auto& [token, bias] : *fields.logit_bias)
            if (const auto id = to_token_id(token))
                (*sampling.mutable_logit_bias())[*id] = static_cast<float>(bias);
    if (fields.dry_sequence_breakers)
        for (const auto& breaker : *fields.dry_sequence_breakers)
            sampling.add_dry_sequence_breakers(breaker);
}

}  // namespace gateway::api::chat
