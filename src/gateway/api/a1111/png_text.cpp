#include "gateway/api/a1111/png_text.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>

#include "base/utf8.hpp"

namespace gateway::api::a1111 {
namespace {

constexpr std::string_view signature = "\x89PNG\r\n\x1a\n";

std::uint32_t big_endian(std::string_view bytes) {
    std::uint32_t value = 0;
    for (const char byte : bytes.substr(0, 4))
        value = value << 8 | static_cast<unsigned char>(byte);
    return value;
}

/// What is before the next zero byte, which is taken away with it.
std::optional<std::string_view> take_until_zero(std::string_view& bytes) {
    const auto zero = bytes.find('\0');
    if (zero == std::string_view::npos)
        return std::nullopt;
    const auto taken = bytes.substr(0, zero);
    bytes.remove_prefix(zero + 1);
    return taken;
}

std::string latin1_to_utf8(std::string_view bytes) {
    std::string text;
    for (const char each : bytes) {
        const auto byte = static_cast<unsigned char>(each);
        if (byte < 0x80) {
            text += each;
        } else {
            text += static_cast<char>(0xc0 | byte >> 6);
            text += static_cast<char>(0x80 | (byte & 0x3f));
        }
    }
    return text;
}

/// Keyword, zero, flag of compression, method, language, zero, translated keyword, zero, text.
std::optional<std::string> international_text(std::string_view rest) {
    if (rest.size() < 2 || rest[0] != '\0')
        return std::nullopt;
    rest.remove_prefix(2);
    if (!take_until_zero(rest) || !take_until_zero(rest))
        return std::nullopt;
    return base::valid_utf8(rest);
}

std::string_view trimmed(std::string_view text) {
    const auto begin = text.find_first_not_of(" \r\n\t");
    const auto end = text.find_last_not_of(" \r\n\t");
    return begin == std::string_view::npos ? std::string_view{} : text.substr(begin, end - begin + 1);
}

/// The value of a setting, up to the comma that ends it; that is taken away too.
std::string take_value(std::string_view& line) {
    std::string value;
    if (line.starts_with('"')) {
        line.remove_prefix(1);
        while (!line.empty() && line.front() != '"') {
            if (line.front() == '\\' && line.size() > 1)
                line.remove_prefix(1);
            value += line.front();
            line.remove_prefix(1);
        }
    }
    const auto comma = std::min(line.find(','), line.size());
    if (value.empty())
        value = trimmed(line.substr(0, comma));
    line.remove_prefix(std::min(comma + 1, line.size()));
    return value;
}

}  // namespace

std::map<std::string, std::string> png_texts(std::string_view file) {
    std::map<std::string, std::string> texts;
    if (!file.starts_with(signature))
        return texts;
    file.remove_prefix(signature.size());
    constexpr std::size_t around = 12;  // length, kind, checksum
    while (file.size() >= around) {
        const std::size_t length = big_endian(file);
        const std::string_view kind = file.substr(4, 4);
        if (length > file.size() - around)
            break;
        std::string_view data = file.substr(8, length);
        if (kind == "tEXt") {
            if (const auto keyword = take_until_zero(data))
                texts.emplace(latin1_to_utf8(*keyword), latin1_to_utf8(data));
        } else if (kind == "iTXt") {
            if (const auto keyword = take_until_zero(data))
                if (auto text = international_text(data))
                    texts.emplace(latin1_to_utf8(*keyword), *std::move(text));
        }
        file.remove_prefix(length + around);
    }
    return texts;
}

std::map<std::string, std::string> parse_parameters(std::string_view text) {
    std::map<std::string, std::string> values;
    text = trimmed(text);
    if (text.empty())
        return values;
    // The last line has the settings when it begins with one.
    const auto last_break = text.rfind('\n');
    std::string_view line = text.substr(last_break == std::string_view::npos ? 0 : last_break + 1);
    std::string_view before = text;
    if (line.starts_with("Steps: "))
        before = text.substr(0, text.size() - line.size());
    else
        line = {};
    constexpr std::string_view negative = "Negative prompt:";
    const auto mark = before.starts_with(negative) ? 0 : before.find("\nNegative prompt:");
    if (mark != std::string_view::npos) {
        const auto begin = before.find(negative, mark) + negative.size();
        values.emplace("Negative prompt", trimmed(before.substr(begin)));
        before = before.substr(0, mark);
    }
    values.emplace("Prompt", trimmed(before));
    while (!line.empty()) {
        const auto colon = line.find(':');
        if (colon == std::string_view::npos)
            break;
        std::string key(trimmed(line.substr(0, colon)));
        line = line.substr(std::min(line.find_first_not_of(' ', colon + 1), line.size()));
        std::string value = take_value(line);
        values.emplace(std::move(key), std::move(value));
    }
    return values;
}

}  // namespace gateway::api::a1111
