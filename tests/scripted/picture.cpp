#include "scripted/picture.hpp"

#include <png.h>

#include <vector>

namespace scripted {

std::string picture(unsigned width, unsigned height, std::int64_t seed) {
    std::vector<std::uint8_t> pixels(std::size_t{width} * height * 3);
    for (std::size_t y = 0; y < height; ++y) {
        for (std::size_t x = 0; x < width; ++x) {
            auto* pixel = &pixels[(y * width + x) * 3];
            pixel[0] = static_cast<std::uint8_t>(x * 255 / width);
            pixel[1] = static_cast<std::uint8_t>(y * 255 / height);
            pixel[2] = static_cast<std::uint8_t>(seed * 37);
        }
    }
    png_image image{};
    image.version = PNG_IMAGE_VERSION;
    image.width = width;
    image.height = height;
    image.format = PNG_FORMAT_RGB;
    std::string file(PNG_IMAGE_PNG_SIZE_MAX(image), '\0');
    png_alloc_size_t size = file.size();
    png_image_write_to_memory(&image, file.data(), &size, 0, pixels.data(), 0, nullptr);
    file.resize(size);
    return file;
}

std::optional<PictureSize> picture_size(const std::string& png) {
    png_image image{};
    image.version = PNG_IMAGE_VERSION;
    if (png_image_begin_read_from_memory(&image, png.data(), png.size()) == 0) {
        return std::nullopt;
    }
    const PictureSize size{.width = image.width, .height = image.height};
    png_image_free(&image);
    return size;
}

}  // namespace scripted
