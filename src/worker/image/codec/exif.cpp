#include <cstdint>

#include "worker/image/codec/formats.hpp"

// Exif is a small TIFF file: a header, one directory that points at a second one, and in that one the user comment
// (Exif 2.32, section 4.6.5). Big endian, because the comment's UTF-16 is read that way by the programs that read it.

namespace worker::image::codec {
namespace {

void put16(std::string& out, std::uint32_t value) {
    out += static_cast<char>(value >> 8 & 0xff);
    out += static_cast<char>(value & 0xff);
}

void put32(std::string& out, std::uint32_t value) {
    put16(out, value >> 16);
    put16(out, value & 0xffff);
}

// `text` is valid UTF-8 (protobuf checks its strings).
std::string utf16(std::string_view text) {
    std::string out;
    for (std::size_t i = 0; i < text.size();) {
        const auto lead = static_cast<unsigned char>(text[i]);
        const std::size_t length = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
        std::uint32_t code = length == 1 ? lead : lead & (0x7fU >> length);
        for (std::size_t k = 1; k < length && i + k < text.size(); ++k) {
            code = code << 6 | (static_cast<unsigned char>(text[i + k]) & 0x3fU);
        }
        i += length;
        if (code >= 0x10000) {
            code -= 0x10000;
            put16(out, 0xd800 + (code >> 10));
            put16(out, 0xdc00 + (code & 0x3ff));
        } else {
            put16(out, code);
        }
    }
    return out;
}

// Numbers of a TIFF file; 0 beyond its end.
class Tiff {
public:
    explicit Tiff(std::string_view bytes) : bytes_(bytes), big_(bytes.starts_with("MM")) {}

    bool valid() const { return (big_ || bytes_.starts_with("II")) && number(2, 2) == 42; }

    std::uint32_t number(std::uint64_t offset, std::uint32_t size) const {
        std::uint32_t value = 0;
        if (offset + size > bytes_.size()) {
            return 0;
        }
        for (std::uint32_t i = 0; i < size; ++i) {
            const auto byte = static_cast<unsigned char>(bytes_[offset + (big_ ? i : size - 1 - i)]);
            value = value << 8 | byte;
        }
        return value;
    }

private:
    std::string_view bytes_;
    bool big_;
};

}  // namespace

std::uint32_t orientation_of_exif(std::string_view exif) {
    constexpr std::string_view header("Exif\0\0", 6);
    if (exif.starts_with(header)) {
        exif.remove_prefix(header.size());
    }
    const Tiff tiff(exif);
    if (!tiff.valid()) {
        return 1;
    }
    constexpr std::uint32_t orientation_tag = 0x0112;
    constexpr std::uint32_t entry_bytes = 12;
    const std::uint64_t directory = tiff.number(4, 4);
    const std::uint32_t entries = tiff.number(directory, 2);
    for (std::uint32_t i = 0; i < entries; ++i) {
        const std::uint64_t entry = directory + 2 + std::uint64_t{i} * entry_bytes;
        if (tiff.number(entry, 2) == orientation_tag) {
            const std::uint32_t orientation = tiff.number(entry + 8, 2);
            return orientation >= 1 && orientation <= 8 ? orientation : 1;
        }
    }
    return 1;
}

Picture upright(Picture picture, std::uint32_t orientation) {
    if (orientation == 1) {
        return picture;
    }
    // Exif 2.32, table 6: from 5 on rows and columns change places.
    const bool turned = orientation >= 5;
    const std::uint32_t width = turned ? picture.height : picture.width;
    const std::uint32_t height = turned ? picture.width : picture.height;
    const bool from_right = orientation == 2 || orientation == 3 || orientation == 7 || orientation == 8;
    const bool from_bottom = orientation == 3 || orientation == 4 || orientation == 6 || orientation == 7;
    Picture result{.width = width, .height = height, .channels = picture.channels, .pixels = {}};
    result.pixels.reserve(picture.pixels.size());
    for (std::uint32_t y = 0; y < height; ++y) {
        for (std::uint32_t x = 0; x < width; ++x) {
            const std::uint32_t column = turned ? y : x;
            const std::uint32_t row = turned ? x : y;
            const std::size_t from_x = from_right ? picture.width - 1 - column : column;
            const std::size_t from_y = from_bottom ? picture.height - 1 - row : row;
            const auto* pixel = &picture.pixels[(from_y * picture.width + from_x) * picture.channels];
            result.pixels.insert(result.pixels.end(), pixel, pixel + picture.channels);
        }
    }
    return result;
}

std::string exif_with_comment(std::string_view text) {
    constexpr std::uint32_t first_directory = 8;
    constexpr std::uint32_t directory_bytes = 2 + 12 + 4;  // count, one entry, offset of the next
    constexpr std::uint32_t second_directory = first_directory + directory_bytes;
    constexpr std::uint32_t comment_offset = second_directory + directory_bytes;
    const std::string comment = std::string("UNICODE\0", 8) + utf16(text);

    std::string out = "MM";
    put16(out, 42);
    put32(out, first_directory);
    put16(out, 1);
    put16(out, 0x8769);  // pointer to the Exif directory, a LONG
    put16(out, 4);
    put32(out, 1);
    put32(out, second_directory);
    put32(out, 0);
    put16(out, 1);
    put16(out, 0x9286);  // UserComment, UNDEFINED bytes
    put16(out, 7);
    put32(out, static_cast<std::uint32_t>(comment.size()));
    put32(out, comment_offset);
    put32(out, 0);
    return out + comment;
}

}  // namespace worker::image::codec
