#include "gateway/api/a1111/names.hpp"

#include <array>
#include <span>

#include "http/message.hpp"

namespace gateway::api::a1111 {
namespace {

struct Name {
    std::string_view engine;
    std::string_view label;
};

constexpr std::array samplers{
    Name{"euler", "Euler"},
    Name{"euler_a", "Euler a"},
    Name{"heun", "Heun"},
    Name{"dpm2", "DPM2"},
    Name{"dpm++2s_a", "DPM++ 2S a"},
    Name{"dpm++2m", "DPM++ 2M"},
    Name{"dpm++2mv2", "DPM++ 2M v2"},
    Name{"ipndm", "IPNDM"},
    Name{"ipndm_v", "IPNDM_V"},
    Name{"lcm", "LCM"},
    Name{"ddim_trailing", "DDIM"},
    Name{"tcd", "TCD"},
    Name{"res_multistep", "Res Multistep"},
    Name{"res_2s", "Res 2S"},
    Name{"er_sde", "ER SDE"},
};

constexpr std::array schedulers{
    Name{"discrete", "Uniform"},
    Name{"karras", "Karras"},
    Name{"exponential", "Exponential"},
    Name{"ays", "Align Your Steps"},
    Name{"gits", "GITS"},
    Name{"sgm_uniform", "SGM Uniform"},
    Name{"simple", "Simple"},
    Name{"smoothstep", "Smoothstep"},
    Name{"kl_optimal", "KL Optimal"},
    Name{"bong_tangent", "Bong Tangent"},
};

constexpr std::array hires_upscalers{
    Name{"latent", "Latent"},
    Name{"latent_nearest", "Latent (nearest)"},
    Name{"latent_nearest_exact", "Latent (nearest-exact)"},
    Name{"latent_antialiased", "Latent (antialiased)"},
    Name{"latent_bicubic", "Latent (bicubic)"},
    Name{"latent_bicubic_antialiased", "Latent (bicubic antialiased)"},
    Name{"lanczos", "Lanczos"},
    Name{"nearest", "Nearest"},
};

std::string label_of(std::span<const Name> names, std::string_view engine) {
    for (const Name& name : names)
        if (name.engine == engine)
            return std::string(name.label);
    return std::string(engine);
}

std::string engine_name(std::span<const Name> names, std::string_view given) {
    for (const Name& name : names)
        if (http::equal_ignoring_case(given, name.label) || http::equal_ignoring_case(given, name.engine))
            return std::string(name.engine);
    return std::string(given);
}

}  // namespace

std::string sampler_label(std::string_view name) {
    return label_of(samplers, name);
}

std::string scheduler_label(std::string_view name) {
    return label_of(schedulers, name);
}

std::string hires_upscaler_label(std::string_view name) {
    return label_of(hires_upscalers, name);
}

std::string hires_upscaler_name(std::string_view label) {
    return engine_name(hires_upscalers, label);
}

SamplerChoice engine_names(std::string_view sampler, std::string_view scheduler) {
    SamplerChoice choice;
    if (!http::equal_ignoring_case(scheduler, "automatic"))
        choice.scheduler = engine_name(schedulers, scheduler);
    for (const Name& name : schedulers) {
        const std::size_t length = name.label.size();
        if (sampler.size() <= length + 1 || sampler[sampler.size() - length - 1] != ' ' ||
            !http::equal_ignoring_case(sampler.substr(sampler.size() - length), name.label))
            continue;
        sampler.remove_suffix(length + 1);
        if (choice.scheduler.empty())
            choice.scheduler = name.engine;
        break;
    }
    choice.sampler = engine_name(samplers, sampler);
    return choice;
}

}  // namespace gateway::api::a1111
