#pragma once

/// A given picture brought to the size of the one to draw.

#include "worker/image/picture.hpp"

namespace worker::image {

struct Size {
    std::uint32_t width = 0;
    std::uint32_t height = 0;
    bool operator==(const Size&) const = default;
};

struct SizeLimits {
    std::uint32_t min_side = 0;
    std::uint32_t max_side = 0;
    std::uint32_t multiple = 1;
};

/// The size within the limits that is nearest to `size` in area and shape.
Size nearest_size(Size size, SizeLimits limits);

/// The picture scaled, each side by the same factor, until it covers `size`; what is beside it is cut off evenly.
/// Shrinking averages, enlarging goes evenly from pixel to pixel. The picture may not be empty.
Picture fitted(const Picture& picture, Size size);

}  // namespace worker::image
