#include "worker/engine/llama/media/sound.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

namespace worker::engine::llama {
namespace {

std::string little_endian(std::uint32_t value, std::size_t bytes) {
    std::string text;
    for (std::size_t index = 0; index < bytes; ++index) {
        text.push_back(static_cast<char>(value >> (8 * index)));
    }
    return text;
}

struct Wav {
    std::uint32_t form = 1;
    std::uint32_t channels = 1;
    std::uint32_t rate = 16000;
    std::uint32_t bits = 16;
    std::uint32_t data_bytes = 32000;
    /// What the header says; by default the truth.
    std::uint32_t claimed_bytes = 32000;
};

std::string file_of(const Wav& wav) {
    return "RIFF" + little_endian(36 + wav.claimed_bytes, 4) + "WAVEfmt " + little_endian(16, 4) +
           little_endian(wav.form, 2) + little_endian(wav.channels, 2) + little_endian(wav.rate, 4) +
           little_endian(wav.rate * wav.channels * wav.bits / 8, 4) + little_endian(wav.channels * wav.bits / 8, 2) +
           little_endian(wav.bits, 2) + "data" + little_endian(wav.claimed_bytes, 4) +
           std::string(wav.data_bytes, '\0');
}

/// MPEG 1, layer III, 128 kbit/s, 44100 Hz: 417 bytes and 26 ms each.
std::string mp3_of(int frames) {
    std::string file;
    for (int frame = 0; frame < frames; ++frame) {
        file += std::string("\xff\xfb\x90\x00", 4) + std::string(413, '\0');
    }
    return file;
}

TEST(Sound, OfAWavIsAsLongAsItsSamples) {
    EXPECT_TRUE(check_sound(file_of({}), 1));
    EXPECT_FALSE(check_sound(file_of({.data_bytes = 34000, .claimed_bytes = 34000}), 1));
}

TEST(Sound, AHeaderThatClaimsMoreThanThereIsChangesNothing) {
    EXPECT_TRUE(check_sound(file_of({.claimed_bytes = 0xffffff00}), 1));
}

// Such a file of a megabyte would become hours of sound.
TEST(Sound, ThatIsSlowerThanAnybodySpeaksIsRefused) {
    EXPECT_FALSE(check_sound(file_of({.rate = 1}), 600));
    EXPECT_FALSE(check_sound(file_of({.rate = 0}), 600));
}

TEST(Sound, OfKindsThatAreNotReadIsRefused) {
    EXPECT_FALSE(check_sound(file_of({.form = 2}), 600));
    EXPECT_FALSE(check_sound(file_of({.channels = 0}), 600));
    EXPECT_FALSE(check_sound(file_of({.bits = 0}), 600));
    EXPECT_FALSE(check_sound("OggS and so on", 600));
    EXPECT_FALSE(check_sound("", 600));
}

TEST(Sound, OfAnMp3IsAsLongAsItsFrames) {
    EXPECT_TRUE(check_sound(mp3_of(38), 1));
    EXPECT_FALSE(check_sound(mp3_of(39), 1));
}

TEST(Sound, BehindATagIsFound) {
    const std::string tag = std::string("ID3\x04\x00\x00\x00\x00\x00\x05", 10) + "xxxxx";
    EXPECT_TRUE(check_sound(tag + mp3_of(3), 1));
    EXPECT_FALSE(check_sound(tag, 1)) << "there is none";
}

TEST(Sound, CutAnywhereIsNoCrash) {
    for (const std::string& whole : {file_of({.data_bytes = 8, .claimed_bytes = 8}), mp3_of(1)}) {
        for (std::size_t size = 0; size < whole.size(); ++size) {
            static_cast<void>(check_sound(whole.substr(0, size), 1));
        }
    }
}

}  // namespace
}  // namespace worker::engine::llama
