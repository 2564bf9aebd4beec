#pragma once

/// Our names of the engine's options that have none in its interface, and which of them a model has.

#include <stable-diffusion.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace worker::engine::diffusion {

/// What a network is built of; decides which of the engine's shortcuts work.
enum class Network { unet, transformer };

/// Of a family, by the engine's name of it.
Network network_of(std::string_view family);

/// The caches that leave steps out; the engine ignores those of the other kind of network.
std::vector<std::string> step_caches_of(Network network);
std::optional<sd_cache_mode_t> step_cache_named(std::string_view name);

struct UpscalerNeeds {
    /// The autoencoder encodes: pixels can be enlarged, not only the latent.
    bool encodes_images = false;
    /// An ESRGAN model is loaded.
    bool upscaler = false;
};

/// What enlarges between the two passes of a drawing.
std::vector<std::string> second_pass_upscalers(UpscalerNeeds available);
std::optional<sd_hires_upscaler_t> second_pass_upscaler_named(std::string_view name);

}  // namespace worker::engine::diffusion
