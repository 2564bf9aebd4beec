#include <cstdio>  // jpeglib.h needs it first

#include <jpeglib.h>

#include <csetjmp>
#include <cstdlib>

#include "worker/image/codec/formats.hpp"

// As in png.cpp: libjpeg leaves by a long jump, so the functions it may leave hold nothing with a destructor.

namespace worker::image::codec {
namespace {

struct Failure {
    jpeg_error_mgr manager;
    std::jmp_buf jump;
    char message[JMSG_LENGTH_MAX] = "";
};

void on_error(j_common_ptr info) {
    auto* failure = reinterpret_cast<Failure*>(info->err);
    info->err->format_message(info, failure->message);
    std::longjmp(failure->jump, 1);
}

// A cut file is only a warning to libjpeg, which fills the rest with grey: for us it is broken.
void on_message(j_common_ptr info, int level) {
    if (level < 0) {
        on_error(info);
    }
}

void set_up(Failure& failure) {
    jpeg_std_error(&failure.manager);
    failure.manager.error_exit = on_error;
    failure.manager.emit_message = on_message;
}

struct Decompressor {
    Failure failure{};
    jpeg_decompress_struct info{};
    Decompressor() {
        set_up(failure);
        info.err = &failure.manager;
    }
    Decompressor(const Decompressor&) = delete;
    Decompressor& operator=(const Decompressor&) = delete;
    ~Decompressor() { jpeg_destroy_decompress(&info); }
};

struct Compressor {
    Failure failure{};
    jpeg_compress_struct info{};
    unsigned char* bytes = nullptr;
    unsigned long size = 0;
    Compressor() {
        set_up(failure);
        info.err = &failure.manager;
    }
    Compressor(const Compressor&) = delete;
    Compressor& operator=(const Compressor&) = delete;
    ~Compressor() {
        jpeg_destroy_compress(&info);
        std::free(bytes);
    }
};

bool read_header(Decompressor& jpeg, std::string_view file) {
    if (setjmp(jpeg.failure.jump) != 0) {
        return false;
    }
    jpeg_create_decompress(&jpeg.info);
    jpeg_save_markers(&jpeg.info, JPEG_APP0 + 1, 0xffff);
    jpeg_mem_src(&jpeg.info, reinterpret_cast<const unsigned char*>(file.data()), file.size());
    jpeg_read_header(&jpeg.info, TRUE);
    return true;
}

// Inks to light. Adobe's programs, which write most of such files, write the inks inverted and say so.
void to_rgb(const unsigned char* inks, unsigned char* pixels, std::size_t count, bool inverted) {
    for (std::size_t i = 0; i < count; ++i) {
        const unsigned black = inverted ? inks[4 * i + 3] : 255U - inks[4 * i + 3];
        for (std::size_t k = 0; k < 3; ++k) {
            const unsigned light = inverted ? inks[4 * i + k] : 255U - inks[4 * i + k];
            pixels[3 * i + k] = static_cast<unsigned char>((light * black + 127) / 255);
        }
    }
}

bool is_printed(const Decompressor& jpeg) {
    return jpeg.info.jpeg_color_space == JCS_CMYK || jpeg.info.jpeg_color_space == JCS_YCCK;
}

// `inks` has room for a row of four channels.
bool read_pixels(Decompressor& jpeg, unsigned char* pixels, unsigned char* inks) {
    if (setjmp(jpeg.failure.jump) != 0) {
        return false;
    }
    const bool printed = is_printed(jpeg);
    jpeg.info.out_color_space = printed ? JCS_CMYK : JCS_RGB;
    jpeg_start_decompress(&jpeg.info);
    while (jpeg.info.output_scanline < jpeg.info.output_height) {
        unsigned char* place = pixels + std::size_t{jpeg.info.output_scanline} * jpeg.info.output_width * 3;
        JSAMPROW row = printed ? inks : place;
        jpeg_read_scanlines(&jpeg.info, &row, 1);
        if (printed) {
            to_rgb(inks, place, jpeg.info.output_width, jpeg.info.saw_Adobe_marker != FALSE);
        }
    }
    jpeg_finish_decompress(&jpeg.info);
    return true;
}

std::uint32_t orientation(const Decompressor& jpeg) {
    for (auto* marker = jpeg.info.marker_list; marker != nullptr; marker = marker->next) {
        const std::string_view bytes(reinterpret_cast<const char*>(marker->data), marker->data_length);
        if (bytes.starts_with("Exif")) {
            return orientation_of_exif(bytes);
        }
    }
    return 1;
}

bool write_all(Compressor& jpeg, const Picture& picture, int quality, std::string_view app1) {
    if (setjmp(jpeg.failure.jump) != 0) {
        return false;
    }
    jpeg_create_compress(&jpeg.info);
    jpeg_mem_dest(&jpeg.info, &jpeg.bytes, &jpeg.size);
    jpeg.info.image_width = picture.width;
    jpeg.info.image_height = picture.height;
    jpeg.info.input_components = static_cast<int>(picture.channels);
    jpeg.info.in_color_space = picture.channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
    jpeg_set_defaults(&jpeg.info);
    jpeg_set_quality(&jpeg.info, quality, TRUE);
    jpeg_start_compress(&jpeg.info, TRUE);
    if (!app1.empty()) {
        jpeg_write_marker(&jpeg.info, JPEG_APP0 + 1, reinterpret_cast<const JOCTET*>(app1.data()),
                          static_cast<unsigned>(app1.size()));
    }
    while (jpeg.info.next_scanline < jpeg.info.image_height) {
        JSAMPROW row = const_cast<JSAMPROW>(picture.pixels.data()) +
                       std::size_t{jpeg.info.next_scanline} * picture.width * picture.channels;
        jpeg_write_scanlines(&jpeg.info, &row, 1);
    }
    jpeg_finish_compress(&jpeg.info);
    return true;
}

}  // namespace

base::Result<std::string> encode_jpeg(const Picture& picture, const EncodeOptions& options) {
    std::string app1;
    if (!options.parameters.empty()) {
        app1 = std::string("Exif\0\0", 6) + exif_with_comment(options.parameters);
        // A marker's length has 16 bits. Settings too long for the file are left out; the picture matters more.
        if (app1.size() > 65533) {
            app1.clear();
        }
    }
    Compressor jpeg;
    if (!write_all(jpeg, picture, options.quality, app1)) {
        return base::fail(base::ErrorCode::internal, std::string("libjpeg: ") + jpeg.failure.message);
    }
    return std::string(reinterpret_cast<const char*>(jpeg.bytes), jpeg.size);
}

base::Result<Decoded> decode_jpeg(std::string_view file, DecodeLimits limits) {
    Decompressor jpeg;
    if (!read_header(jpeg, file)) {
        return base::fail(base::ErrorCode::invalid, std::string("is a broken JPEG file: ") + jpeg.failure.message);
    }
    if (auto size = check_size(jpeg.info.image_width, jpeg.info.image_height, limits); !size) {
        return std::unexpected(size.error());
    }
    Picture picture{.width = jpeg.info.image_width, .height = jpeg.info.image_height, .channels = 3, .pixels = {}};
    picture.pixels.resize(std::size_t{picture.width} * picture.height * 3);
    std::vector<unsigned char> inks(is_printed(jpeg) ? std::size_t{picture.width} * 4 : 0);
    // The markers are gone when the pixels are read.
    const std::uint32_t held = orientation(jpeg);
    if (!read_pixels(jpeg, picture.pixels.data(), inks.data())) {
        return base::fail(base::ErrorCode::invalid, std::string("is a broken JPEG file: ") + jpeg.failure.message);
    }
    return Decoded{.picture = std::move(picture), .orientation = held};
}

}  // namespace worker::image::codec
