#include "worker/image/enlarge.hpp"

#include <algorithm>

namespace worker::image {
namespace {

/// Where a row or column of the result lies between two of the source.
struct Place {
    std::size_t before = 0;
    std::size_t after = 0;
    float share_of_after = 0;
};

std::vector<Place> places(std::uint32_t from, std::uint32_t to) {
    std::vector<Place> list(to);
    for (std::uint32_t i = 0; i < to; ++i) {
        // Centres of pixels are matched, not their corners; beyond the outer centres the edge is repeated.
        const float centre = (static_cast<float>(i) + 0.5F) * static_cast<float>(from) / static_cast<float>(to) - 0.5F;
        const float inside = std::clamp(centre, 0.0F, static_cast<float>(from - 1));
        const auto before = static_cast<std::size_t>(inside);
        list[i] = {.before = before,
                   .after = std::min<std::size_t>(before + 1, from - 1),
                   .share_of_after = inside - static_cast<float>(before)};
    }
    return list;
}

float between(float a, float b, float share_of_b) {
    return a + (b - a) * share_of_b;
}

}  // namespace

Picture enlarged(const Picture& picture, std::uint32_t width, std::uint32_t height) {
    if (picture.width == width && picture.height == height) {
        return picture;
    }
    Picture result{.width = width, .height = height, .channels = picture.channels, .pixels = {}};
    result.pixels.reserve(std::size_t{width} * height * picture.channels);
    const auto columns = places(picture.width, width);
    for (const Place& row : places(picture.height, height)) {
        for (const Place& column : columns) {
            for (std::uint32_t channel = 0; channel < picture.channels; ++channel) {
                const auto at = [&](std::size_t y, std::size_t x) {
                    return static_cast<float>(picture.pixels[(y * picture.width + x) * picture.channels + channel]);
                };
                const float above =
                    between(at(row.before, column.before), at(row.before, column.after), column.share_of_after);
                const float below =
                    between(at(row.after, column.before), at(row.after, column.after), column.share_of_after);
                result.pixels.push_back(static_cast<std::uint8_t>(between(above, below, row.share_of_after) + 0.5F));
            }
        }
    }
    return result;
}

}  // namespace worker::image
