#include "worker/image/checks.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "worker/image/request.hpp"

namespace worker::image {

using base::ErrorCode;
using base::fail;
using base::Result;

std::unexpected<base::Error> invalid(std::string_view param, std::string_view message) {
    return fail(ErrorCode::invalid, std::string(message), std::string(param));
}

Result<std::uint32_t> side(std::string_view param, std::uint32_t asked, std::uint32_t standard,
                           const PictureModel& model) {
    const std::uint32_t value = asked == 0 ? standard : asked;
    if (value < model.min_side || value > model.max_side || value % model.size_multiple != 0) {
        const auto up = [&](std::uint32_t x) {
            return (x + model.size_multiple - 1) / model.size_multiple * model.size_multiple;
        };
        return invalid(
            param, fmt::format("{} is {}; it must be a multiple of {} from {} to {}", param, value, model.size_multiple,
                               up(model.min_side), model.max_side / model.size_multiple * model.size_multiple));
    }
    return value;
}

Result<float> number(std::string_view param, float value, float low, float high) {
    if (!std::isfinite(value) || value < low || value > high) {
        return invalid(param, fmt::format("{} must be from {} to {}", param, low, high));
    }
    return value;
}

Result<std::string> name(std::string_view param, const std::string& asked, const std::string& standard,
                         const std::vector<std::string>& known) {
    if (asked.empty()) {
        return standard;
    }
    if (std::ranges::find(known, asked) == known.end()) {
        return invalid(param, fmt::format("unknown {} '{}'; this model has: {}", param, asked, fmt::join(known, ", ")));
    }
    return asked;
}

Result<std::string> text(std::string_view param, const std::string& value) {
    if (value.size() > max_prompt_bytes) {
        return invalid(param, fmt::format("{} has {} bytes; the limit is {}", param, value.size(), max_prompt_bytes));
    }
    return value;
}

Result<Picture> picture(std::string_view param, const std::string& file, std::uint32_t channels) {
    auto decoded = codec::decode(file, channels);
    if (!decoded) {
        return invalid(param, fmt::format("{} {}", param, decoded.error().message));
    }
    return decoded;
}

Result<Picture> picture_of_size(std::string_view param, const std::string& file, std::uint32_t channels,
                                const DrawRequest& request) {
    auto decoded = picture(param, file, channels);
    if (decoded && (decoded->width != request.width || decoded->height != request.height)) {
        return invalid(param, fmt::format("{} is {}x{} pixels, the picture to draw is {}x{}: they must be the same",
                                          param, decoded->width, decoded->height, request.width, request.height));
    }
    return decoded;
}

Result<codec::EncodeOptions> encoding(const contract::ImageEncoding& asked) {
    codec::EncodeOptions options;
    switch (asked.format()) {
        case contract::ImageEncoding::PNG: options.format = codec::FileFormat::png; break;
        case contract::ImageEncoding::JPEG: options.format = codec::FileFormat::jpeg; break;
        case contract::ImageEncoding::WEBP: options.format = codec::FileFormat::webp; break;
        default: return invalid("encoding.format", "encoding.format is none of PNG, JPEG, WEBP");
    }
    if (asked.quality() > 100) {
        return invalid("encoding.quality", "encoding.quality must be from 1 to 100");
    }
    options.quality = asked.quality() == 0 ? options.quality : static_cast<int>(asked.quality());
    return options;
}

}  // namespace worker::image
