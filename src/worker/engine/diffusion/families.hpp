#pragma once

/// What suits each family of models: the values a request gets when it does not ask, and what the family can do. The
/// engine knows the family of a file but keeps these numbers to the people who write commands; here they are once.

#include <cstdint>
#include <span>
#include <string_view>

namespace worker::engine::diffusion {

struct Family {
    /// As the engine names it.
    std::string_view name;
    /// Side of the square the family was trained on, pixels.
    std::uint32_t side;
    /// The engine silently enlarges other sizes; we refuse them instead.
    std::uint32_t size_multiple;
    std::uint32_t steps;
    float cfg_scale;
    std::uint32_t max_reference_images = 0;
    /// Made to change a picture by an instruction: draws nothing of use without one.
    bool needs_reference_image = false;
    /// Reads a picture of the drawing's size in every step, so that the size cannot change between two passes.
    bool bound_to_size = false;
    /// Empty: the engine's default.
    std::string_view sampler = {};
};

/// Never fails: a family the engine learned after this table was written gets careful values.
Family family_named(std::string_view name);

/// FLUX without a guidance input ("schnell") is made for four steps.
Family without_guidance_input(Family family);

std::span<const Family> known_families();

}  // namespace worker::engine::diffusion
