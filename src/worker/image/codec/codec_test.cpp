#include "worker/image/codec/codec.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using worker::image::Picture;
using namespace worker::image::codec;
using testing::HasSubstr;

namespace {

Picture gradient(std::uint32_t width, std::uint32_t height) {
    Picture picture{.width = width, .height = height, .channels = 3, .pixels = {}};
    for (std::uint32_t y = 0; y < height; ++y) {
        for (std::uint32_t x = 0; x < width; ++x) {
            for (const auto value : {x * 255 / width, y * 255 / height, (x + y) % 256}) {
                picture.pixels.push_back(static_cast<std::uint8_t>(value));
            }
        }
    }
    return picture;
}

double mean_difference(const Picture& a, const Picture& b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.pixels.size(); ++i) {
        sum += std::abs(a.pixels[i] - b.pixels[i]);
    }
    return sum / static_cast<double>(a.pixels.size());
}

std::string file(FileFormat format, const Picture& picture = gradient(48, 32), std::string parameters = {}) {
    return encode(picture, {.format = format, .quality = 90, .parameters = std::move(parameters)}).value();
}

constexpr FileFormat formats[] = {FileFormat::png, FileFormat::jpeg, FileFormat::webp};

}  // namespace

TEST(Codec, PngKeepsEveryPixel) {
    EXPECT_EQ(decode(file(FileFormat::png), 3).value(), gradient(48, 32));
}

TEST(Codec, JpegAndWebpKeepTheSizeAndLookTheSame) {
    for (const auto format : {FileFormat::jpeg, FileFormat::webp}) {
        const auto back = decode(file(format), 3).value();
        EXPECT_EQ(back.width, 48U);
        EXPECT_EQ(back.height, 32U);
        EXPECT_LT(mean_difference(back, gradient(48, 32)), 6.0) << media_type(format);
    }
}

TEST(Codec, SamePictureGivesTheSameBytes) {
    for (const auto format : formats) {
        EXPECT_EQ(file(format, gradient(48, 32), "a"), file(format, gradient(48, 32), "a")) << media_type(format);
    }
}

TEST(Codec, WhiteAndBlackStayThatInAMask) {
    Picture mask{.width = 2, .height = 1, .channels = 3, .pixels = {255, 255, 255, 0, 0, 0}};
    const auto back = decode(file(FileFormat::png, mask), 1).value();
    EXPECT_EQ(back.channels, 1U);
    EXPECT_THAT(back.pixels, testing::ElementsAre(255, 0));
}

TEST(Codec, GreyPicturesAreWrittenInEveryFormat) {
    const Picture grey{.width = 16, .height = 16, .channels = 1, .pixels = std::vector<std::uint8_t>(256, 77)};
    for (const auto format : formats) {
        const auto back = decode(file(format, grey), 1).value();
        EXPECT_NEAR(back.pixels[100], 77, 3) << media_type(format);
    }
}

TEST(Codec, KeepsTheSettingsInAPngTextChunk) {
    const std::string settings = "a cat\nNegative prompt: dog\nSteps: 20, Seed: 7";
    const auto plain = file(FileFormat::png, gradient(8, 8), settings);
    EXPECT_THAT(plain, HasSubstr("tEXtparameters"));
    EXPECT_EQ(parameters_of_png(plain), settings);
    EXPECT_EQ(parameters_of_png(file(FileFormat::png)), "");
}

TEST(Codec, KeepsSettingsOutsideAsciiAsUtf8) {
    EXPECT_EQ(parameters_of_png(file(FileFormat::png, gradient(8, 8), "Käse 猫 🐈")), "Käse 猫 🐈");
}

TEST(Codec, KeepsTheSettingsAsExifCommentInJpegAndWebp) {
    const std::string comment("UNICODE\0\0h\0i\xd8\x3d\xdc\x08", 16);
    EXPECT_THAT(file(FileFormat::jpeg, gradient(8, 8), "hi🐈"), HasSubstr(comment));
    EXPECT_THAT(file(FileFormat::webp, gradient(8, 8), "hi🐈"), HasSubstr(comment));
}

TEST(Codec, RefusesWhatIsNoPicture) {
    for (const std::string bytes :
         {"", "x", "GIF89a\1\0\1\0", "\x89PNG\r\n\x1a\n", "RIFF\4\0\0\0WEBP", "\xff\xd8\xff"}) {
        const auto result = decode(bytes, 3);
        ASSERT_FALSE(result) << bytes;
        EXPECT_EQ(result.error().code, base::ErrorCode::invalid);
    }
}

TEST(Codec, RefusesEveryFileThatIsCutShort) {
    for (const auto format : formats) {
        const auto whole = file(format);
        // The last bytes may be an end mark the pixels do not need, so the cuts stop before them.
        for (std::size_t length = 1; length + 24 < whole.size(); length += 7) {
            EXPECT_FALSE(decode(std::string_view(whole).substr(0, length), 3)) << media_type(format) << ' ' << length;
        }
    }
}

TEST(Codec, SurvivesEveryFlippedByte) {
    for (const auto format : formats) {
        auto bytes = file(format);
        for (std::size_t i = 0; i < bytes.size(); ++i) {
            const char kept = bytes[i];
            bytes[i] = static_cast<char>(kept ^ 0x5a);
            const auto result = decode(bytes, 3);
            EXPECT_TRUE(!result || result->pixels.size() == std::size_t{result->width} * result->height * 3);
            bytes[i] = kept;
        }
    }
}

TEST(Codec, RefusesTooLargeAPictureBeforeDecodingIt) {
    for (const auto format : formats) {
        const auto result = decode(file(format), 3, {.max_side = 40});
        ASSERT_FALSE(result);
        EXPECT_THAT(result.error().message, HasSubstr("48x32"));
    }
}

namespace {

/// Exif data that say how the camera was held, after a first entry that says something else.
std::string exif(std::uint8_t orientation, bool big_endian) {
    using namespace std::string_literals;
    const std::string entries =
        big_endian ? "MM\0*\0\0\0\x08\0\x02\x01\x0f\0\x02\0\0\0\x01\0\0\0\0\x01\x12\0\x03\0\0\0\x01\0?\0\0\0\0\0\0"s
                   : "II*\0\x08\0\0\0\x02\0\x0f\x01\x02\0\x01\0\0\0\0\0\0\0\x12\x01\x03\0\x01\0\0\0?\0\0\0\0\0\0\0"s;
    std::string data = entries;
    data[data.find('?')] = static_cast<char>(orientation);
    return data;
}

/// The JPEG with Exif data behind its first marker.
std::string with_exif(std::string jpeg, const std::string& data) {
    const std::string content = std::string("Exif\0\0", 6) + data;
    const std::size_t length = content.size() + 2;
    const std::string marker{'\xff', '\xe1', static_cast<char>(length >> 8), static_cast<char>(length & 0xff)};
    return jpeg.insert(2, marker + content);
}

/// Left half black, right half white, and the lower right quarter grey.
Picture landmarks() {
    Picture picture{.width = 32, .height = 16, .channels = 3, .pixels = {}};
    for (std::uint32_t y = 0; y < 16; ++y) {
        for (std::uint32_t x = 0; x < 32; ++x) {
            picture.pixels.insert(picture.pixels.end(), 3, x < 16 ? 0 : y < 8 ? 255 : 128);
        }
    }
    return picture;
}

/// The middles of the four quarters, row by row: b(lack), w(hite), g(rey).
std::string quarters(const Picture& picture) {
    std::string seen;
    for (const std::uint32_t y : {picture.height / 4, picture.height * 3 / 4}) {
        for (const std::uint32_t x : {picture.width / 4, picture.width * 3 / 4}) {
            const auto value = picture.pixels[(std::size_t{y} * picture.width + x) * picture.channels];
            seen += value < 64 ? 'b' : value > 192 ? 'w' : 'g';
        }
    }
    return seen;
}

}  // namespace

TEST(Codec, PutsPicturesUprightAsTheirExifDataSay) {
    const char* expected[] = {"bwbg", "wbgb", "gbwb", "bgbw", "bbwg", "bbgw", "gwbb", "wgbb"};
    for (std::uint8_t orientation = 1; orientation <= 8; ++orientation) {
        for (const bool big_endian : {false, true}) {
            const auto upright =
                decode(with_exif(file(FileFormat::jpeg, landmarks()), exif(orientation, big_endian)), 3).value();
            EXPECT_EQ(quarters(upright), expected[orientation - 1]) << int{orientation};
            EXPECT_EQ(upright.width, orientation < 5 ? 32U : 16U);
        }
    }
}

TEST(Codec, TakesNonsenseInExifDataForUpright) {
    const std::string jpeg = file(FileFormat::jpeg, landmarks());
    for (const std::string& data :
         {exif(0, true), exif(9, false), std::string(), std::string("MM"), std::string(40, '\xff'),
          std::string("MM\0*\xff\xff\xff\xff", 8), exif(6, true).substr(0, 20)}) {
        EXPECT_EQ(quarters(decode(with_exif(jpeg, data), 3).value()), "bwbg");
    }
}

TEST(Codec, AMaskWithoutTransparencyIsItsLuma) {
    const Picture mask{.width = 2, .height = 1, .channels = 3, .pixels = {255, 255, 255, 0, 0, 0}};
    for (const auto format : {FileFormat::png, FileFormat::webp}) {
        const auto back =
            decode_mask(encode(mask, {.format = format, .quality = 100, .parameters = {}}).value()).value();
        EXPECT_EQ(back.channels, 1U);
        EXPECT_GT(back.pixels[0], back.pixels[1]) << media_type(format);
    }
}

TEST(Codec, AMaskWithTransparencyIsThat) {
    // A PNG of 2x1 pixels, each grey and opacity: white and opaque, black and transparent.
    constexpr unsigned char png[] = {
        0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0x00, 0x00, 0x00, 0x0d, 0x49, 0x48, 0x44, 0x52, 0x00, 0x00,
        0x00, 0x02, 0x00, 0x00, 0x00, 0x01, 0x08, 0x04, 0x00, 0x00, 0x00, 0x5e, 0x2b, 0xb7, 0x01, 0x00, 0x00, 0x00,
        0x0d, 0x49, 0x44, 0x41, 0x54, 0x78, 0xda, 0x63, 0xf8, 0xff, 0x9f, 0x81, 0x01, 0x00, 0x06, 0xfe, 0x01, 0xff,
        0x2a, 0xdc, 0x47, 0xf5, 0x00, 0x00, 0x00, 0x00, 0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82};
    const std::string_view bytes(reinterpret_cast<const char*>(png), sizeof png);
    EXPECT_THAT(decode_mask(bytes).value().pixels, testing::ElementsAre(0, 255));
    EXPECT_THAT(decode(bytes, 1).value().pixels, testing::ElementsAre(255, 0)) << "a picture's transparency is dropped";
}
