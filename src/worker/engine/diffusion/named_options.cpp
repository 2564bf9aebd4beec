#include "worker/engine/diffusion/named_options.hpp"

#include <algorithm>
#include <array>

namespace worker::engine::diffusion {
namespace {

struct StepCache {
    std::string_view name;
    sd_cache_mode_t mode;
    bool of_unets = false;
    bool of_transformers = false;
};

constexpr std::array step_caches = {
    StepCache{.name = "ucache", .mode = SD_CACHE_UCACHE, .of_unets = true},
    StepCache{.name = "easycache", .mode = SD_CACHE_EASYCACHE, .of_transformers = true},
    StepCache{.name = "dbcache", .mode = SD_CACHE_DBCACHE, .of_transformers = true},
    StepCache{.name = "taylorseer", .mode = SD_CACHE_TAYLORSEER, .of_transformers = true},
    StepCache{.name = "cache-dit", .mode = SD_CACHE_CACHE_DIT, .of_transformers = true},
    StepCache{.name = "spectrum", .mode = SD_CACHE_SPECTRUM, .of_unets = true, .of_transformers = true},
};

struct Upscaler {
    std::string_view name;
    sd_hires_upscaler_t upscaler;
    bool of_pixels = false;
};

constexpr std::array upscalers = {
    Upscaler{.name = "latent", .upscaler = SD_HIRES_UPSCALER_LATENT},
    Upscaler{.name = "latent_nearest", .upscaler = SD_HIRES_UPSCALER_LATENT_NEAREST},
    Upscaler{.name = "latent_nearest_exact", .upscaler = SD_HIRES_UPSCALER_LATENT_NEAREST_EXACT},
    Upscaler{.name = "latent_antialiased", .upscaler = SD_HIRES_UPSCALER_LATENT_ANTIALIASED},
    Upscaler{.name = "latent_bicubic", .upscaler = SD_HIRES_UPSCALER_LATENT_BICUBIC},
    Upscaler{.name = "latent_bicubic_antialiased", .upscaler = SD_HIRES_UPSCALER_LATENT_BICUBIC_ANTIALIASED},
    Upscaler{.name = "lanczos", .upscaler = SD_HIRES_UPSCALER_LANCZOS, .of_pixels = true},
    Upscaler{.name = "nearest", .upscaler = SD_HIRES_UPSCALER_NEAREST, .of_pixels = true},
    Upscaler{.name = "model", .upscaler = SD_HIRES_UPSCALER_MODEL, .of_pixels = true},
};

}  // namespace

Network network_of(std::string_view family) {
    const bool unet = family.starts_with("SD 1") || family.starts_with("SD 2") || family.starts_with("SDX") ||
                      family == "Instruct-Pix2Pix";
    return unet ? Network::unet : Network::transformer;
}

std::vector<std::string> step_caches_of(Network network) {
    std::vector<std::string> names;
    for (const StepCache& cache : step_caches) {
        if (network == Network::unet ? cache.of_unets : cache.of_transformers) {
            names.emplace_back(cache.name);
        }
    }
    return names;
}

std::optional<sd_cache_mode_t> step_cache_named(std::string_view name) {
    const auto* found = std::ranges::find(step_caches, name, &StepCache::name);
    return found == step_caches.end() ? std::nullopt : std::optional(found->mode);
}

std::vector<std::string> second_pass_upscalers(UpscalerNeeds available) {
    std::vector<std::string> names;
    for (const Upscaler& each : upscalers) {
        const bool has_model = each.upscaler != SD_HIRES_UPSCALER_MODEL || available.upscaler;
        if (has_model && (!each.of_pixels || available.encodes_images)) {
            names.emplace_back(each.name);
        }
    }
    return names;
}

std::optional<sd_hires_upscaler_t> second_pass_upscaler_named(std::string_view name) {
    const auto* found = std::ranges::find(upscalers, name, &Upscaler::name);
    return found == upscalers.end() ? std::nullopt : std::optional(found->upscaler);
}

}  // namespace worker::engine::diffusion
