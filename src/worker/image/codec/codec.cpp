#include "worker/image/codec/codec.hpp"

#include <fmt/format.h>

#include "worker/image/codec/formats.hpp"

namespace worker::image::codec {
namespace {

base::Result<Decoded> decode_file(std::string_view file, Alpha alpha, DecodeLimits limits) {
    using namespace std::string_view_literals;
    if (file.starts_with("\x89PNG\r\n\x1a\n"sv)) {
        return decode_png(file, alpha, limits);
    }
    if (file.starts_with("\xff\xd8\xff"sv)) {
        return decode_jpeg(file, limits);
    }
    if (file.starts_with("RIFF"sv) && file.size() >= 12 && file.substr(8, 4) == "WEBP"sv) {
        return decode_webp(file, alpha, limits);
    }
    return base::fail(base::ErrorCode::invalid, "is not a PNG, JPEG or WebP file");
}

base::Result<Picture> decode_upright(std::string_view file, Alpha alpha, DecodeLimits limits) {
    auto decoded = decode_file(file, alpha, limits);
    if (!decoded) {
        return std::unexpected(std::move(decoded).error());
    }
    return upright(std::move(decoded->picture), decoded->orientation);
}

// Rec. 601 luma in integers, so that white stays white and the result is the same everywhere.
Picture to_grey(const Picture& colour) {
    Picture grey{.width = colour.width, .height = colour.height, .channels = 1, .pixels = {}};
    grey.pixels.resize(std::size_t{colour.width} * colour.height);
    for (std::size_t i = 0; i < grey.pixels.size(); ++i) {
        const auto* pixel = &colour.pixels[colour.channels * i];
        grey.pixels[i] = static_cast<std::uint8_t>((299 * pixel[0] + 587 * pixel[1] + 114 * pixel[2] + 500) / 1000);
    }
    return grey;
}

}  // namespace

base::Result<void> check_size(std::uint32_t width, std::uint32_t height, DecodeLimits limits) {
    if (width == 0 || height == 0 || width > limits.max_side || height > limits.max_side) {
        return base::fail(base::ErrorCode::invalid, fmt::format("is {}x{} pixels; the limit is {}x{}", width, height,
                                                                limits.max_side, limits.max_side));
    }
    if (std::uint64_t{width} * height > limits.max_pixels) {
        return base::fail(base::ErrorCode::invalid, fmt::format("is {}x{} pixels; the limit is {} pixels in all", width,
                                                                height, limits.max_pixels));
    }
    return {};
}

base::Result<std::string> encode(const Picture& picture, const EncodeOptions& options) {
    switch (options.format) {
        case FileFormat::png: return encode_png(picture, options);
        case FileFormat::jpeg: return encode_jpeg(picture, options);
        case FileFormat::webp: return encode_webp(picture, options);
    }
    return base::fail(base::ErrorCode::internal, "unknown file format");
}

base::Result<Picture> decode(std::string_view file, std::uint32_t channels, DecodeLimits limits) {
    auto colour = decode_upright(file, Alpha::drop, limits);
    if (colour && channels == 1) {
        return to_grey(*colour);
    }
    return colour;
}

base::Result<Picture> decode_mask(std::string_view file, DecodeLimits limits) {
    auto picture = decode_upright(file, Alpha::keep, limits);
    if (!picture) {
        return picture;
    }
    Picture mask = to_grey(*picture);
    bool transparent = false;
    for (std::size_t i = 0; picture->channels == 4 && i < mask.pixels.size(); ++i) {
        transparent = transparent || picture->pixels[4 * i + 3] != 255;
    }
    for (std::size_t i = 0; transparent && i < mask.pixels.size(); ++i) {
        mask.pixels[i] = static_cast<std::uint8_t>(255 - picture->pixels[4 * i + 3]);
    }
    return mask;
}

std::string_view media_type(FileFormat format) {
    switch (format) {
        case FileFormat::png: return "image/png";
        case FileFormat::jpeg: return "image/jpeg";
        case FileFormat::webp: return "image/webp";
    }
    return "application/octet-stream";
}

}  // namespace worker::image::codec
