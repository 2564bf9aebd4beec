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

base::Result<Picture> decode_webp(std::string_view file, DecodeLimits limits) {
    const auto data = view(file);
    int width = 0;
    int height = 0;
    if (WebPGetInfo(data.bytes, data.size, &width, &height) == 0) {
        return base::fail(base::ErrorCode::invalid, "is a broken WebP file");
    }
    if (auto size = check_size(static_cast<std::uint32_t>(width), static_cast<std::uint32_t>(height), limits); !size) {
        return std::unexpected(size.error());
    }
    Picture picture{.width = static_cast<std::uint32_t>(width),
                    .height = static_cast<std::uint32_t>(height),
                    .channels = 3,
                    .pixels = {}};
    picture.pixels.resize(std::size_t{picture.width} * picture.height * 3);
    if (WebPDecodeRGBInto(data.bytes, data.size, picture.pixels.data(), picture.pixels.size(), width * 3) == nullptr) {
        return base::fail(base::ErrorCode::invalid, "is a broken WebP file");
    }
    return picture;
}

}  // namespace worker::image::codec
