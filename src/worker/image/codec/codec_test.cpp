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
