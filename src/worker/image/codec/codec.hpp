#pragma once

/// Image files: PNG, JPEG and WebP, to and from pixels. Pure functions, safe from any thread, for input nobody checked:
/// a broken, cut or hostile file is an error and costs no memory beyond the limit.

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "worker/image/picture.hpp"

namespace worker::image::codec {

enum class FileFormat { png, jpeg, webp };

struct EncodeOptions {
    FileFormat format = FileFormat::png;
    /// 1..100, JPEG and WebP only.
    int quality = 90;
    /// Text to keep in the file; empty: none. In a PNG the text chunk "parameters", in the others the user comment of
    /// the Exif data: where programs of this field look for prompt and settings.
    std::string parameters;
};

struct DecodeLimits {
    /// Checked against the header, before any pixel is decoded.
    std::uint32_t max_side = 4096;
    std::uint64_t max_pixels = 4096 * 4096;
};

/// Same picture and options, same bytes.
base::Result<std::string> encode(const Picture& picture, const EncodeOptions& options);

/// The format is told by the content. Transparency is dropped, 16 bits become 8, a palette and CMYK become colours. The
/// picture stands as its Exif data say that the camera was held. An animation is refused, but for a PNG's, whose first
/// picture it is. `channels` of the result: as asked (3, or 1 for luma). Errors are `invalid` without `param`.
base::Result<Picture> decode(std::string_view file, std::uint32_t channels, DecodeLimits limits = {});

/// A mask, of one channel: 255 where the file is fully transparent, 0 where it is fully opaque; of a file without any
/// transparency its luma. So both kinds of masks that are in use mean the same: draw anew where it is 255.
base::Result<Picture> decode_mask(std::string_view file, DecodeLimits limits = {});

/// The text an encoded PNG keeps under "parameters"; empty when there is none.
std::string parameters_of_png(std::string_view file);

std::string_view media_type(FileFormat format);

}  // namespace worker::image::codec
