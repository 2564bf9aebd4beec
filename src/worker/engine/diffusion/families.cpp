#include "worker/engine/diffusion/families.hpp"

#include <algorithm>
#include <array>

namespace worker::engine::diffusion {
namespace {

// The multiple is the autoencoder's reduction times that of the network: 8 x 8 for U-Nets. Transformers pad their own
// patches, so theirs is the autoencoder's alone; 16 keeps whole patches in every case.
constexpr std::uint32_t most_reference_images = 4;

constexpr std::array families = {
    Family{.name = "SD 1.x", .side = 512, .size_multiple = 64, .steps = 20, .cfg_scale = 7},
    Family{
        .name = "SD 1.x Inpaint", .side = 512, .size_multiple = 64, .steps = 20, .cfg_scale = 7, .bound_to_size = true},
    Family{.name = "Instruct-Pix2Pix",
           .side = 512,
           .size_multiple = 64,
           .steps = 20,
           .cfg_scale = 7,
           .max_reference_images = 1,
           .needs_reference_image = true,
           .bound_to_size = true},
    Family{.name = "SD 1.x Tiny UNet", .side = 512, .size_multiple = 64, .steps = 20, .cfg_scale = 7},
    Family{.name = "SD 2.x", .side = 768, .size_multiple = 64, .steps = 20, .cfg_scale = 7},
    Family{
        .name = "SD 2.x Inpaint", .side = 512, .size_multiple = 64, .steps = 20, .cfg_scale = 7, .bound_to_size = true},
    Family{.name = "SD 2.x Tiny UNet", .side = 512, .size_multiple = 64, .steps = 20, .cfg_scale = 7},
    Family{.name = "SDXS (512-DS)", .side = 512, .size_multiple = 64, .steps = 1, .cfg_scale = 1, .sampler = "euler"},
    Family{.name = "SDXS (09)", .side = 512, .size_multiple = 64, .steps = 1, .cfg_scale = 1, .sampler = "euler"},
    Family{.name = "SDXL", .side = 1024, .size_multiple = 64, .steps = 25, .cfg_scale = 6},
    Family{
        .name = "SDXL Inpaint", .side = 1024, .size_multiple = 64, .steps = 25, .cfg_scale = 6, .bound_to_size = true},
    Family{.name = "SDXL Instruct-Pix2Pix",
           .side = 1024,
           .size_multiple = 64,
           .steps = 25,
           .cfg_scale = 6,
           .max_reference_images = 1,
           .needs_reference_image = true,
           .bound_to_size = true},
    Family{.name = "SDXL (Vega)", .side = 1024, .size_multiple = 64, .steps = 25, .cfg_scale = 6},
    Family{.name = "SDXL (SSD1B)", .side = 1024, .size_multiple = 64, .steps = 25, .cfg_scale = 6},
    Family{.name = "SD3.x", .side = 1024, .size_multiple = 16, .steps = 28, .cfg_scale = 4.5F},
    Family{.name = "Flux",
           .side = 1024,
           .size_multiple = 16,
           .steps = 20,
           .cfg_scale = 1,
           .max_reference_images = most_reference_images},
    Family{.name = "Flux Fill", .side = 1024, .size_multiple = 16, .steps = 20, .cfg_scale = 1, .bound_to_size = true},
    Family{
        .name = "Flux Control", .side = 1024, .size_multiple = 16, .steps = 20, .cfg_scale = 1, .bound_to_size = true},
    Family{.name = "Flex.2", .side = 1024, .size_multiple = 16, .steps = 25, .cfg_scale = 3.5F, .bound_to_size = true},
    Family{.name = "Chroma Radiance", .side = 1024, .size_multiple = 16, .steps = 26, .cfg_scale = 4},
    Family{.name = "Qwen Image",
           .side = 1024,
           .size_multiple = 16,
           .steps = 20,
           .cfg_scale = 2.5F,
           .max_reference_images = most_reference_images},
    Family{.name = "Anima", .side = 1024, .size_multiple = 16, .steps = 30, .cfg_scale = 4},
    Family{.name = "Flux.2",
           .side = 1024,
           .size_multiple = 16,
           .steps = 20,
           .cfg_scale = 1,
           .max_reference_images = most_reference_images},
    Family{.name = "Flux.2 klein",
           .side = 1024,
           .size_multiple = 16,
           .steps = 4,
           .cfg_scale = 1,
           .max_reference_images = most_reference_images},
    Family{.name = "Z-Image", .side = 1024, .size_multiple = 16, .steps = 8, .cfg_scale = 1},
    Family{.name = "Ovis Image", .side = 1024, .size_multiple = 16, .steps = 20, .cfg_scale = 5},
    Family{.name = "Ernie Image", .side = 1024, .size_multiple = 16, .steps = 20, .cfg_scale = 4},
};

}  // namespace

Family family_named(std::string_view name) {
    const auto* found = std::ranges::find(families, name, &Family::name);
    return found != families.end()
               ? *found
               : Family{.name = name, .side = 512, .size_multiple = 64, .steps = 20, .cfg_scale = 4};
}

Family without_guidance_input(Family family) {
    if (family.name == "Flux") {
        family.steps = 4;
    }
    return family;
}

std::span<const Family> known_families() {
    return families;
}

}  // namespace worker::engine::diffusion
