#include "worker/image/fit.hpp"

#include <algorithm>
#include <cmath>

namespace worker::image {
namespace {

/// What a row or column of the result is made of: those of the source from `first` on, each with its share.
struct Mixture {
    std::size_t first = 0;
    std::vector<float> shares;
};

/// `from` source pixels, of which `used` around the middle become `to`.
std::vector<Mixture> mixtures(std::uint32_t from, double used, std::uint32_t to) {
    const double scale = used / to;
    const double begin = (from - used) / 2;
    // A triangle as wide as a pixel of the coarser of both: between two pixels when enlarging, an average when shrinking.
    const double reach = std::max(scale, 1.0);
    std::vector<Mixture> list(to);
    for (std::uint32_t i = 0; i < to; ++i) {
        const double centre = begin + (i + 0.5) * scale - 0.5;
        const auto first = static_cast<std::size_t>(std::clamp(std::ceil(centre - reach), 0.0, from - 1.0));
        const auto last = static_cast<std::size_t>(std::clamp(std::floor(centre + reach), 0.0, from - 1.0));
        Mixture& mixture = list[i];
        mixture.first = first;
        float sum = 0;
        for (std::size_t at = first; at <= last; ++at) {
            const double share = std::max(1 - std::abs(static_cast<double>(at) - centre) / reach, 1e-6);
            mixture.shares.push_back(static_cast<float>(share));
            sum += mixture.shares.back();
        }
        for (float& share : mixture.shares) {
            share /= sum;
        }
    }
    return list;
}

std::uint32_t clamped_multiple(double side, SizeLimits limits) {
    const std::uint32_t least = (std::max(limits.min_side, 1U) + limits.multiple - 1) / limits.multiple;
    const std::uint32_t most = std::max(limits.max_side / limits.multiple, least);
    return static_cast<std::uint32_t>(std::clamp<double>(std::round(side / limits.multiple), least, most)) *
           limits.multiple;
}

}  // namespace

Size nearest_size(Size size, SizeLimits limits) {
    const double longer = std::max(size.width, size.height);
    const double shorter = std::min(size.width, size.height);
    double factor = 1;
    if (shorter < limits.min_side) {
        factor = limits.min_side / shorter;
    }
    if (longer * factor > limits.max_side) {
        factor = limits.max_side / longer;
    }
    return {.width = clamped_multiple(size.width * factor, limits),
            .height = clamped_multiple(size.height * factor, limits)};
}

Picture fitted(const Picture& picture, Size size) {
    if (picture.width == size.width && picture.height == size.height) {
        return picture;
    }
    const double factor =
        std::min(static_cast<double>(picture.width) / size.width, static_cast<double>(picture.height) / size.height);
    const auto columns = mixtures(picture.width, size.width * factor, size.width);
    const auto rows = mixtures(picture.height, size.height * factor, size.height);
    const std::size_t channels = picture.channels;
    // First along the rows, of all rows of the source; then between them.
    std::vector<float> narrow(std::size_t{picture.height} * size.width * channels);
    for (std::size_t y = 0; y < picture.height; ++y) {
        const auto* source = &picture.pixels[y * picture.width * channels];
        float* target = &narrow[y * size.width * channels];
        for (const Mixture& column : columns) {
            for (std::size_t channel = 0; channel < channels; ++channel) {
                float sum = 0;
                for (std::size_t i = 0; i < column.shares.size(); ++i) {
                    sum += column.shares[i] * static_cast<float>(source[(column.first + i) * channels + channel]);
                }
                *target++ = sum;
            }
        }
    }
    const std::size_t row_values = size.width * channels;
    Picture result{.width = size.width, .height = size.height, .channels = picture.channels, .pixels = {}};
    result.pixels.reserve(row_values * size.height);
    for (const Mixture& row : rows) {
        for (std::size_t x = 0; x < row_values; ++x) {
            float sum = 0;
            for (std::size_t i = 0; i < row.shares.size(); ++i) {
                sum += row.shares[i] * narrow[(row.first + i) * row_values + x];
            }
            result.pixels.push_back(static_cast<std::uint8_t>(std::clamp(sum + 0.5F, 0.0F, 255.0F)));
        }
    }
    return result;
}

}  // namespace worker::image
