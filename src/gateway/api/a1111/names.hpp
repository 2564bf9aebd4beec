#pragma once

/// What AUTOMATIC1111's clients call the engine's samplers and schedulers. Pure.

#include <string>
#include <string_view>

namespace gateway::api::a1111 {

/// The usual name, e.g. "Euler a" for euler_a; the engine's own where there is no other.
std::string sampler_label(std::string_view engine_name);
std::string scheduler_label(std::string_view engine_name);

/// Of the engine. Clients also know samplers by a name that ends with the scheduler's ("DPM++ 2M Karras"), and a
/// scheduler by "Automatic". Empty: the model's own. Case does not matter, the engine's names are taken too, and a name
/// that nobody knows stays what it is.
struct SamplerChoice {
    std::string sampler;
    std::string scheduler;
};
SamplerChoice engine_names(std::string_view sampler, std::string_view scheduler);

/// Of what enlarges a picture between two passes: "Latent (nearest-exact)" for latent_nearest_exact.
std::string hires_upscaler_label(std::string_view engine_name);
std::string hires_upscaler_name(std::string_view label);

}  // namespace gateway::api::a1111
