#pragma once

/// From an encoded file nobody checked to what mtmd takes.

#include <mtmd.h>

#include <cstddef>
#include <memory>
#include <string>

#include "base/result.hpp"
#include "worker/engine/media_tokens.hpp"

namespace worker::engine::llama {

struct FreeBitmap {
    void operator()(mtmd_bitmap* bitmap) const { mtmd_bitmap_free(bitmap); }
};
using Bitmap = std::unique_ptr<mtmd_bitmap, FreeBitmap>;

struct DecodedMedia {
    Bitmap bitmap;
    MediaDigest digest{};
};

/// A PNG, JPEG or WebP file. Errors are `invalid` without `param`; a picture of more than `most_pixels` is one before it
/// is decoded.
base::Result<DecodedMedia> decode_image(const std::string& file, std::size_t most_pixels);

/// A WAV or MP3 file, for a model that hears.
base::Result<DecodedMedia> decode_sound(const mtmd_context* mtmd, const std::string& file, std::size_t most_seconds);

/// Of a piece: of what it is a part of, and which part.
MediaDigest digest_of_piece(const MediaDigest& whole, std::size_t part, std::size_t tokens);

}  // namespace worker::engine::llama
