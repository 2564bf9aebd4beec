#pragma once

/// Small deterministic pictures.

#include <cstdint>
#include <optional>
#include <string>

namespace scripted {

/// A gradient as a PNG of exactly this size; other seeds give other colours.
std::string picture(unsigned width, unsigned height, std::int64_t seed);

struct PictureSize {
    unsigned width = 0;
    unsigned height = 0;
};

/// The size of a PNG; nothing when it is none.
std::optional<PictureSize> picture_size(const std::string& png);

}  // namespace scripted
