#include <webp/decode.h>
#include <webp/encode.h>
#include <webp/mux.h>

#include <memory>

#include "worker/image/codec/formats.hpp"

namespace worker::image::codec {
namespace {

struct FreeWebp {
    void operator()(void* bytes) const { WebPFree(bytes); }
};
using WebpBytes = std::unique_ptr<std::uint8_t, FreeWebp>;

WebPData view(std::string_view bytes) {
    return {.bytes = reinterpret_cast<const std::uint8_t*>(bytes.data()), .size = bytes.size()};
}

base::Result<std::string> with_exif(std::string_view file, std::string_view exif) {
    const auto image = view(file);
    const auto chunk = view(exif);
    const std::unique_ptr<WebPMux, decltype(&WebPMuxDelete)> mux(WebPMuxCreate(&image, 0), &WebPMuxDelete);
    WebPData assembled{};
    if (mux == nullptr || WebPMuxSetChunk(mux.get(), "EXIF", &chunk, 0) != WEBP_MUX_OK ||
        WebPMuxAssemble(mux.get(), &assembled) != WEBP_MUX_OK) {
        return base::fail(base::ErrorCode::internal, "libwebp: cannot add the settings to the file");
    }
    const WebpBytes owner(const_cast<std::uint8_t*>(assembled.bytes));
    return std::string(reinterpret_cast<const char*>(assembled.bytes), assembled.size);
}

// libwebp takes three channels only.
std::vector<std::uint8_t> coloured(const Picture& grey) {
    std::vector<std::uint8_t> pixels;
    pixels.reserve(grey.pixels.size() * 3);
    for (const auto value : grey.pixels) {
        pixels.insert(pixels.end(), 3, value);
    }
    return pixels;
}

std::uint32_t orientation(const WebPData& data) {
    const std::unique_ptr<WebPMux, decltype(&WebPMuxDelete)> mux(WebPMuxCreate(&data, 0), &WebPMuxDelete);
    WebPData exif{};
    if (mux == nullptr || WebPMuxGetChunk(mux.get(), "EXIF", &exif) != WEBP_MUX_OK) {
        return 1;
    }
    return orientation_of_exif({reinterpret_cast<const char*>(exif.bytes), exif.size});
}

}  // namespace

base::Result<std::string> encode_webp(const Picture& picture, const EncodeOptions& options) {
    const auto pixels = picture.channels == 1 ? coloured(picture) : picture.pixels;
    std::uint8_t* bytes = nullptr;
    const auto size = WebPEncodeRGB(pixels.data(), static_cast<int>(picture.width), static_cast<int>(picture.height),
                                    static_cast<int>(picture.width * 3), static_cast<float>(options.quality), &bytes);
    const WebpBytes owner(bytes);
    if (size == 0) {
        return base::fail(base::ErrorCode::internal, "libwebp cannot encode the picture");
    }
    std::string file(reinterpret_cast<const char*>(bytes), size);
    return options.parameters.empty() ? file : with_exif(file, exif_with_comment(options.parameters));
}

base::Result<Decoded> decode_webp(std::string_view file, Alpha alpha, DecodeLimits limits) {
    const auto data = view(file);
    WebPBitstreamFeatures features{};
    if (WebPGetFeatures(data.bytes, data.size, &features) != VP8_STATUS_OK) {
        return base::fail(base::ErrorCode::invalid, "is a broken WebP file");
    }
    if (features.has_animation != 0) {
        return base::fail(base::ErrorCode::invalid, "is an animation; send one picture");
    }
    Picture picture{.width = static_cast<std::uint32_t>(features.width),
                    .height = static_cast<std::uint32_t>(features.height),
                    .channels = alpha == Alpha::keep ? 4U : 3U,
                    .pixels = {}};
    if (auto size = check_size(picture.width, picture.height, limits); !size) {
        return std::unexpected(size.error());
    }
    const std::size_t row_bytes = std::size_t{picture.width} * picture.channels;
    picture.pixels.resize(row_bytes * picture.height);
    const auto decode_into = alpha == Alpha::keep ? &WebPDecodeRGBAInto : &WebPDecodeRGBInto;
    if (decode_into(data.bytes, data.size, picture.pixels.data(), picture.pixels.size(), static_cast<int>(row_bytes)) ==
        nullptr) {
        return base::fail(base::ErrorCode::invalid, "is a broken WebP file");
    }
    return Decoded{.picture = std::move(picture), .orientation = orientation(data)};
}

}  // namespace worker::image::codec
