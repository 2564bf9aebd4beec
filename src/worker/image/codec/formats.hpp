#pragma once

/// One pair of functions for each file format, behind codec.hpp; nobody else includes this.

#include <string>
#include <string_view>

#include "worker/image/codec/codec.hpp"

namespace worker::image::codec {

base::Result<std::string> encode_png(const Picture& picture, const EncodeOptions& options);
base::Result<std::string> encode_jpeg(const Picture& picture, const EncodeOptions& options);
base::Result<std::string> encode_webp(const Picture& picture, const EncodeOptions& options);

/// What a file holds, before the camera's orientation is seen to.
struct Decoded {
    /// 3 channels, or 4 where transparency was asked for and the format has it.
    Picture picture;
    /// 1 to 8 as Exif counts them; 1 is upright.
    std::uint32_t orientation = 1;
};

enum class Alpha { drop, keep };

base::Result<Decoded> decode_png(std::string_view file, Alpha alpha, DecodeLimits limits);
base::Result<Decoded> decode_jpeg(std::string_view file, DecodeLimits limits);
base::Result<Decoded> decode_webp(std::string_view file, Alpha alpha, DecodeLimits limits);

/// An `invalid` error when a file's size is nothing or over the limit.
base::Result<void> check_size(std::uint32_t width, std::uint32_t height, DecodeLimits limits);

/// Exif data with `text` as its user comment, as it stands in a WebP "EXIF" chunk and, after "Exif\0\0", in a JPEG's
/// APP1.
std::string exif_with_comment(std::string_view text);

/// The orientation that Exif data say, with or without "Exif\0\0" before them; 1 when they say none, or nonsense.
std::uint32_t orientation_of_exif(std::string_view exif);

/// The picture turned and mirrored so that it stands upright.
Picture upright(Picture picture, std::uint32_t orientation);

}  // namespace worker::image::codec
