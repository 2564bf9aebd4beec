#include "worker/engine/llama/media/media_file.hpp"

#include <fmt/format.h>
#include <mtmd-helper.h>
#include <openssl/evp.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>
#include <utility>

#include "worker/engine/llama/media/sound.hpp"
#include "worker/image/codec/codec.hpp"

namespace worker::engine::llama {
namespace {

using base::ErrorCode;
using base::fail;

MediaDigest digest_of(std::span<const std::uint64_t> numbers, std::span<const unsigned char> bytes) {
    MediaDigest digest{};
    EVP_MD_CTX* sha = EVP_MD_CTX_new();
    EVP_DigestInit_ex(sha, EVP_sha256(), nullptr);
    EVP_DigestUpdate(sha, numbers.data(), numbers.size_bytes());
    EVP_DigestUpdate(sha, bytes.data(), bytes.size());
    EVP_DigestFinal_ex(sha, digest.data(), nullptr);
    EVP_MD_CTX_free(sha);
    return digest;
}

// Digests of different kinds never agree.
enum Kind : std::uint64_t { of_image, of_sound, of_piece };

}  // namespace

base::Result<DecodedMedia> decode_image(const std::string& file, std::size_t most_pixels) {
    // A side says little: what a picture takes is its area. Encoders divide both sides, and no picture is a line.
    const auto picture = image::codec::decode(file, 3, {.max_side = 32768, .max_pixels = most_pixels});
    if (!picture) {
        return fail(picture.error().code, fmt::format("The image {}.", picture.error().message));
    }
    const auto longer = std::max(picture->width, picture->height);
    const auto shorter = std::min(picture->width, picture->height);
    if (longer > 200 * std::size_t{shorter}) {
        return fail(ErrorCode::invalid, fmt::format("The image is {}x{} pixels: no side may be more than 200 times the "
                                                    "other.",
                                                    picture->width, picture->height));
    }
    const std::uint64_t shape[] = {of_image, picture->width, picture->height};
    return DecodedMedia{.bitmap = Bitmap(mtmd_bitmap_init(picture->width, picture->height, picture->pixels.data())),
                        .digest = digest_of(shape, picture->pixels)};
}

base::Result<DecodedMedia> decode_sound(const mtmd_context* mtmd, const std::string& file, std::size_t most_seconds) {
    if (auto usable = check_sound(file, most_seconds); !usable) {
        return std::unexpected(usable.error());
    }
    // The helper tries other kinds of files too, but not for one that begins as sound.
    const auto made = mtmd_helper_bitmap_init_from_buf(mtmd, reinterpret_cast<const unsigned char*>(file.data()),
                                                       file.size(), false, mtmd_helper_init_opt_default());
    Bitmap bitmap(made.bitmap);
    if (bitmap == nullptr || mtmd_bitmap_get_nx(bitmap.get()) == 0) {
        return fail(ErrorCode::invalid, "The sound is a broken file.");
    }
    const std::uint64_t shape[] = {of_sound, mtmd_bitmap_get_nx(bitmap.get())};
    const std::span samples(mtmd_bitmap_get_data(bitmap.get()), mtmd_bitmap_get_n_bytes(bitmap.get()));
    const auto digest = digest_of(shape, samples);
    return DecodedMedia{.bitmap = std::move(bitmap), .digest = digest};
}

MediaDigest digest_of_piece(const MediaDigest& whole, std::size_t part, std::size_t tokens) {
    const std::uint64_t numbers[] = {of_piece, part, tokens};
    return digest_of(numbers, whole);
}

}  // namespace worker::engine::llama
