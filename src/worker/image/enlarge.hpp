#pragma once

#include "worker/image/picture.hpp"

namespace worker::image {

/// The picture at another size, by bilinear interpolation. Neither picture may be empty.
Picture enlarged(const Picture& picture, std::uint32_t width, std::uint32_t height);

}  // namespace worker::image
