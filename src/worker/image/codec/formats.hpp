#pragma once

/// One pair of functions for each file format, behind codec.hpp; nobody else includes this. Decoders give 3 channels.

#include <string>
#include <string_view>

#include "worker/image/codec/codec.hpp"

namespace worker::image::codec {

base::Result<std::string> encode_png(const Picture& picture, const EncodeOptions& options);
base::Result<std::string> encode_jpeg(const Picture& picture, const EncodeOptions& options);
base::Result<std::string> encode_webp(const Picture& picture, const EncodeOptions& options);

base::Result<Picture> decode_png(std::string_view file, DecodeLimits limits);
base::Result<Picture> decode_jpeg(std::string_view file, DecodeLimits limits);
base::Result<Picture> decode_webp(std::string_view file, DecodeLimits limits);

/// An `invalid` error when a file's size is nothing or over the limit.
base::Result<void> check_size(std::uint32_t width, std::uint32_t height, DecodeLimits limits);

/// Exif data with `text` as its user comment, as it stands in a WebP "EXIF" chunk and, after "Exif\0\0", in a JPEG's
/// APP1.
std::string exif_with_comment(std::string_view text);

}  // namespace worker::image::codec
