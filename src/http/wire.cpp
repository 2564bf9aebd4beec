#include "http/wire.hpp"

#include <fmt/format.h>

#include <array>
#include <ctime>

#include "http/errors.hpp"

namespace http {
namespace {

/// These are ours to say.
bool is_framing(std::string_view name) {
    return equal_ignoring_case(name, "Content-Length") || equal_ignoring_case(name, "Transfer-Encoding") ||
           equal_ignoring_case(name, "Connection") || equal_ignoring_case(name, "Date");
}

void append_field(std::string& text, std::string_view name, std::string_view value) {
    text.append(name).append(": ");
    for (const char character : value) {
        const auto byte = static_cast<unsigned char>(character);
        text += byte < 0x20 || byte == 0x7f ? ' ' : character;
    }
    text.append("\r\n");
}

}  // namespace

std::string serialized_head(const ResponseHead& head, const Headers& headers, const Headers& extra) {
    std::string text;
    text.reserve(512);
    text = fmt::format("HTTP/1.1 {} {}\r\n", head.status, reason_phrase(head.status));
    append_field(text, "Date", http_date());
    for (const auto& [name, value] : headers) {
        if (!is_framing(name) && !extra.find(name)) {
            append_field(text, name, value);
        }
    }
    for (const auto& [name, value] : extra) {
        if (!is_framing(name)) {
            append_field(text, name, value);
        }
    }
    if (head.framing == Framing::length) {
        append_field(text, "Content-Length", std::to_string(head.content_length));
    } else if (head.framing == Framing::chunked) {
        append_field(text, "Transfer-Encoding", "chunked");
    }
    if (!head.keep_alive) {
        append_field(text, "Connection", "close");
    } else if (head.version == Version::http_1_0) {
        append_field(text, "Connection", "keep-alive");
    }
    return text.append("\r\n");
}

std::string chunk_prefix(std::size_t bytes) {
    return fmt::format("{:x}\r\n", bytes);
}

std::string_view http_date() {
    thread_local std::time_t known = 0;
    thread_local std::array<char, 40> text{};
    thread_local std::size_t length = 0;
    const std::time_t now = std::time(nullptr);
    if (now != known) {
        std::tm parts{};
        gmtime_r(&now, &parts);
        length = std::strftime(text.data(), text.size(), "%a, %d %b %Y %H:%M:%S GMT", &parts);
        known = now;
    }
    return {text.data(), length};
}

}  // namespace http
