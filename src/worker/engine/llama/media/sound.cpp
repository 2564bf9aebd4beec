#include "worker/engine/llama/media/sound.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <optional>

namespace worker::engine::llama {
namespace {

using base::ErrorCode;
using base::fail;

std::uint32_t byte(std::string_view file, std::size_t at) {
    return static_cast<unsigned char>(file[at]);
}

std::uint32_t little_endian(std::string_view file, std::size_t at, std::size_t bytes) {
    std::uint32_t value = 0;
    for (std::size_t index = bytes; index-- > 0;) {
        value = (value << 8) | byte(file, at + index);
    }
    return value;
}

// What a header claims of more than the file has does not count.
std::optional<double> seconds_of_wav(std::string_view file) {
    std::optional<double> bytes_a_second;
    for (std::size_t at = 12; at + 8 <= file.size();) {
        const auto name = file.substr(at, 4);
        const std::size_t size = little_endian(file, at + 4, 4);
        const std::size_t body = at + 8;
        if (name == "fmt ") {
            if (size < 16 || body + 16 > file.size()) {
                return std::nullopt;
            }
            const auto form = little_endian(file, body, 2);
            const auto channels = little_endian(file, body + 2, 2);
            const auto rate = little_endian(file, body + 4, 4);
            const auto bits = little_endian(file, body + 14, 2);
            constexpr std::uint32_t pcm = 1, real = 3, a_law = 6, mu_law = 7, extensible = 0xfffe;
            const bool known = form == pcm || form == real || form == a_law || form == mu_law || form == extensible;
            const bool whole = bits % 8 == 0 && bits >= 8 && bits <= 64;
            if (!known || !whole || channels == 0 || channels > 16 || rate < 4000 || rate > 384000) {
                return std::nullopt;
            }
            bytes_a_second = static_cast<double>(rate) * channels * bits / 8;
        } else if (name == "data") {
            if (!bytes_a_second) {
                return std::nullopt;
            }
            return static_cast<double>(std::min(size, file.size() - body)) / *bytes_a_second;
        }
        at = body + size + size % 2;
    }
    return std::nullopt;
}

struct Mp3Frame {
    std::size_t bytes = 0;
    double seconds = 0;
};

// ISO 11172-3 and 13818-3, layer III.
std::optional<Mp3Frame> mp3_frame(std::string_view file, std::size_t at) {
    if (at + 4 > file.size() || byte(file, at) != 0xff || (byte(file, at + 1) & 0xe6) != 0xe2) {
        return std::nullopt;
    }
    const auto version = (byte(file, at + 1) >> 3) & 3;  // 0: 2.5, 2: 2, 3: 1
    const auto bitrate_index = byte(file, at + 2) >> 4;
    const auto rate_index = (byte(file, at + 2) >> 2) & 3;
    if (version == 1 || bitrate_index == 0 || bitrate_index == 15 || rate_index == 3) {
        return std::nullopt;
    }
    static constexpr std::array<std::uint32_t, 15> kilobits_1 = {0,   32,  40,  48,  56,  64,  80, 96,
                                                                 112, 128, 160, 192, 224, 256, 320};
    static constexpr std::array<std::uint32_t, 15> kilobits_2 = {0,  8,  16, 24,  32,  40,  48, 56,
                                                                 64, 80, 96, 112, 128, 144, 160};
    static constexpr std::array<std::uint32_t, 3> rates = {44100, 48000, 32000};
    const bool first = version == 3;
    const std::uint32_t rate = rates[rate_index] / (first ? 1 : version == 2 ? 2 : 4);
    const std::uint32_t bits = 1000 * (first ? kilobits_1 : kilobits_2)[bitrate_index];
    const std::uint32_t samples = first ? 1152 : 576;
    const std::uint32_t padding = (byte(file, at + 2) >> 1) & 1;
    return Mp3Frame{.bytes = samples / 8 * bits / rate + padding, .seconds = static_cast<double>(samples) / rate};
}

std::optional<double> seconds_of_mp3(std::string_view file) {
    std::size_t at = 0;
    if (file.starts_with("ID3") && file.size() >= 10) {
        std::size_t tag = 0;
        for (std::size_t place = 6; place < 10; ++place) {
            tag = (tag << 7) | (byte(file, place) & 0x7f);
        }
        at = 10 + tag;
    }
    double seconds = 0;
    while (at < file.size()) {
        const auto frame = mp3_frame(file, at);
        seconds += frame ? frame->seconds : 0;
        at += frame ? frame->bytes : 1;
    }
    return seconds > 0 ? std::optional(seconds) : std::nullopt;
}

}  // namespace

base::Result<void> check_sound(std::string_view file, std::size_t most_seconds) {
    const bool wav = file.starts_with("RIFF") && file.substr(0, 12).ends_with("WAVE") && file.size() >= 12;
    const bool mp3 = !wav && (file.starts_with("ID3") || mp3_frame(file, 0));
    if (!wav && !mp3) {
        return fail(ErrorCode::invalid, "The sound is not a WAV or MP3 file.");
    }
    const auto seconds = wav ? seconds_of_wav(file) : seconds_of_mp3(file);
    if (!seconds) {
        return fail(ErrorCode::invalid,
                    fmt::format("The sound is a broken {} file, or of a kind that is not read.", wav ? "WAV" : "MP3"));
    }
    if (*seconds > static_cast<double>(most_seconds)) {
        return fail(ErrorCode::invalid,
                    fmt::format("The sound is {:.0f} seconds long; the limit is {}.", *seconds, most_seconds));
    }
    return {};
}

}  // namespace worker::engine::llama
