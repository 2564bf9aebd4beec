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

}  // namespace

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
