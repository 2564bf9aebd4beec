#include <png.h>

#include <csetjmp>
#include <cstring>
#include <memory>

#include "worker/image/codec/formats.hpp"

// libpng reports errors by a long jump over C++ frames. So each function that libpng may jump out of holds nothing with
// a destructor; what must be freed lives in the function around it.

namespace worker::image::codec {
namespace {

struct Failure {
    std::jmp_buf jump;
    char message[96] = "broken PNG";
};

void on_error(png_structp png, png_const_charp message) {
    auto* failure = static_cast<Failure*>(png_get_error_ptr(png));
    std::strncpy(failure->message, message, sizeof failure->message - 1);
    std::longjmp(failure->jump, 1);
}

void on_warning(png_structp, png_const_charp) {}

struct Input {
    const char* data;
    std::size_t size;
    std::size_t position;
};

void read_bytes(png_structp png, png_bytep into, std::size_t count) {
    auto* input = static_cast<Input*>(png_get_io_ptr(png));
    if (count > input->size - input->position) {
        png_error(png, "the file ends too early");
    }
    std::memcpy(into, input->data + input->position, count);
    input->position += count;
}

void append_bytes(png_structp png, png_bytep bytes, std::size_t count) {
    static_cast<std::string*>(png_get_io_ptr(png))->append(reinterpret_cast<const char*>(bytes), count);
}

void flush_nothing(png_structp) {}

struct Reader {
    Failure failure;
    png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &failure, on_error, on_warning);
    png_infop info = png == nullptr ? nullptr : png_create_info_struct(png);
    Reader() = default;
    Reader(const Reader&) = delete;
    Reader& operator=(const Reader&) = delete;
    ~Reader() { png_destroy_read_struct(&png, &info, nullptr); }
};

struct Writer {
    Failure failure;
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, &failure, on_error, on_warning);
    png_infop info = png == nullptr ? nullptr : png_create_info_struct(png);
    Writer() = default;
    Writer(const Writer&) = delete;
    Writer& operator=(const Writer&) = delete;
    ~Writer() { png_destroy_write_struct(&png, &info); }
};

bool read_header(Reader& reader, Input& input) {
    if (setjmp(reader.failure.jump) != 0) {
        return false;
    }
    png_set_read_fn(reader.png, &input, read_bytes);
    png_read_info(reader.png, reader.info);
    return true;
}

bool read_pixels(Reader& reader, Alpha alpha, png_bytep pixels, png_bytepp rows, std::size_t row_bytes,
                 std::uint32_t height) {
    if (setjmp(reader.failure.jump) != 0) {
        return false;
    }
    png_set_expand(reader.png);
    png_set_strip_16(reader.png);
    png_set_gray_to_rgb(reader.png);
    if (alpha == Alpha::keep) {
        png_set_add_alpha(reader.png, 0xff, PNG_FILLER_AFTER);
    } else {
        png_set_strip_alpha(reader.png);
    }
    png_set_interlace_handling(reader.png);
    png_read_update_info(reader.png, reader.info);
    if (png_get_rowbytes(reader.png, reader.info) != row_bytes) {
        png_error(reader.png, "unexpected pixel layout");
    }
    for (std::uint32_t y = 0; y < height; ++y) {
        rows[y] = pixels + y * row_bytes;
    }
    png_read_image(reader.png, rows);
    png_read_end(reader.png, reader.info);
    return true;
}

bool write_all(Writer& writer, std::string& file, const Picture& picture, png_textp texts, int text_count) {
    if (setjmp(writer.failure.jump) != 0) {
        return false;
    }
    png_set_write_fn(writer.png, &file, append_bytes, flush_nothing);
    png_set_IHDR(writer.png, writer.info, picture.width, picture.height, 8,
                 picture.channels == 1 ? PNG_COLOR_TYPE_GRAY : PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE,
                 PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    // Level 4 takes a third of the time of the default 6 on pictures and costs about 2 % in size.
    png_set_compression_level(writer.png, 4);
    if (text_count > 0) {
        png_set_text(writer.png, writer.info, texts, text_count);
    }
    png_write_info(writer.png, writer.info);
    const std::size_t row_bytes = std::size_t{picture.width} * picture.channels;
    for (std::uint32_t y = 0; y < picture.height; ++y) {
        png_write_row(writer.png, picture.pixels.data() + y * row_bytes);
    }
    png_write_end(writer.png, writer.info);
    return true;
}

// The chunk may stand behind the pixels.
std::uint32_t orientation(Reader& reader) {
    png_bytep exif = nullptr;
    png_uint_32 size = 0;
    if (png_get_eXIf_1(reader.png, reader.info, &size, &exif) == 0) {
        return 1;
    }
    return orientation_of_exif({reinterpret_cast<const char*>(exif), size});
}

bool is_ascii(std::string_view text) {
    for (const char c : text) {
        if (static_cast<unsigned char>(c) >= 0x80) {
            return false;
        }
    }
    return true;
}

}  // namespace

base::Result<std::string> encode_png(const Picture& picture, const EncodeOptions& options) {
    Writer writer;
    if (writer.info == nullptr) {
        return base::fail(base::ErrorCode::internal, "libpng: no memory");
    }
    // tEXt is Latin-1 and iTXt is UTF-8; readers that know only tEXt are served whenever the text allows it.
    std::string key = "parameters";
    std::string value = options.parameters;
    png_text text{};
    text.compression = is_ascii(value) ? PNG_TEXT_COMPRESSION_NONE : PNG_ITXT_COMPRESSION_NONE;
    text.key = key.data();
    text.text = value.data();
    text.text_length = value.size();
    text.itxt_length = value.size();
    std::string file;
    if (!write_all(writer, file, picture, &text, value.empty() ? 0 : 1)) {
        return base::fail(base::ErrorCode::internal, std::string("libpng: ") + writer.failure.message);
    }
    return file;
}

base::Result<Decoded> decode_png(std::string_view file, Alpha alpha, DecodeLimits limits) {
    Reader reader;
    Input input{.data = file.data(), .size = file.size(), .position = 0};
    if (reader.info == nullptr || !read_header(reader, input)) {
        return base::fail(base::ErrorCode::invalid, std::string("is a broken PNG file: ") + reader.failure.message);
    }
    Picture picture{.width = png_get_image_width(reader.png, reader.info),
                    .height = png_get_image_height(reader.png, reader.info),
                    .channels = alpha == Alpha::keep ? 4U : 3U,
                    .pixels = {}};
    if (auto size = check_size(picture.width, picture.height, limits); !size) {
        return std::unexpected(size.error());
    }
    const std::size_t row_bytes = std::size_t{picture.width} * picture.channels;
    picture.pixels.resize(row_bytes * picture.height);
    const auto rows = std::make_unique<png_bytep[]>(picture.height);
    if (!read_pixels(reader, alpha, picture.pixels.data(), rows.get(), row_bytes, picture.height)) {
        return base::fail(base::ErrorCode::invalid, std::string("is a broken PNG file: ") + reader.failure.message);
    }
    return Decoded{.picture = std::move(picture), .orientation = orientation(reader)};
}

std::string parameters_of_png(std::string_view file) {
    Reader reader;
    Input input{.data = file.data(), .size = file.size(), .position = 0};
    if (reader.info == nullptr || !read_header(reader, input)) {
        return {};
    }
    png_textp texts = nullptr;
    const int count = png_get_text(reader.png, reader.info, &texts, nullptr);
    for (int i = 0; i < count; ++i) {
        if (std::string_view(texts[i].key) == "parameters") {
            return texts[i].text;
        }
    }
    return {};
}

}  // namespace worker::image::codec
