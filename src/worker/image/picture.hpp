#pragma once

/// A picture in memory: what the engine draws, what an encoded file becomes, what a file is made from.

#include <cstddef>
#include <cstdint>
#include <vector>

namespace worker::image {

struct Picture {
    std::uint32_t width = 0;
    std::uint32_t height = 0;
    /// 1 (grey) or 3 (red, green, blue); while a file is decoded also 4 (and opacity).
    std::uint32_t channels = 3;
    /// [height, width, channels], row-major, sRGB, top row first.
    std::vector<std::uint8_t> pixels;

    bool operator==(const Picture&) const = default;
};

}  // namespace worker::image
