#include "http/multipart.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/utf8.hpp"
#include "http/message.hpp"

namespace http {
namespace {

using base::Result;

constexpr std::string_view line_end = "\r\n";
constexpr std::size_t longest_boundary = 70;  // RFC 2046, section 5.1.1

char lower(char character) {
    return character >= 'A' && character <= 'Z' ? static_cast<char>(character | 0x20) : character;
}

std::string_view trimmed(std::string_view text) {
    const auto begin = text.find_first_not_of(" \t");
    return begin == std::string_view::npos ? std::string_view{}
                                           : text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

std::string lowered(std::string_view text) {
    std::string result(text);
    std::ranges::transform(result, result.begin(), lower);
    return result;
}

std::unexpected<base::Error> refuse(std::string message, std::string param = {}) {
    return base::fail(base::ErrorCode::invalid, std::move(message), std::move(param));
}

/// A header's value with parameters: `form-data; name="a"; filename="b"`.
struct Value {
    std::string_view token;
    std::vector<std::pair<std::string, std::string>> parameters;

    std::size_t count(std::string_view name) const {
        return static_cast<std::size_t>(
            std::ranges::count(parameters, name, &std::pair<std::string, std::string>::first));
    }
    const std::string* find(std::string_view name) const {
        const auto found = std::ranges::find(parameters, name, &std::pair<std::string, std::string>::first);
        return found == parameters.end() ? nullptr : &found->second;
    }
};

/// Takes a quoted text from the front of `rest`, which begins behind the quote; false when it does not end. Backslashes
/// escape quotes and themselves alone: some browsers send file names with backslashes as they are.
bool take_quoted(std::string_view& rest, std::string& text) {
    for (std::size_t at = 0; at < rest.size(); ++at) {
        if (rest[at] == '"') {
            rest.remove_prefix(at + 1);
            return true;
        }
        const bool escapes = rest[at] == '\\' && at + 1 < rest.size() && (rest[at + 1] == '"' || rest[at + 1] == '\\');
        text += rest[escapes ? ++at : at];
    }
    return false;
}

/// Nothing when it is malformed.
std::optional<Value> parse_value(std::string_view text) {
    const auto semicolon = text.find(';');
    Value value{.token = trimmed(text.substr(0, semicolon)), .parameters = {}};
    std::string_view rest = semicolon == std::string_view::npos ? std::string_view{} : text.substr(semicolon + 1);
    while (!trimmed(rest).empty()) {
        const auto equals = rest.find('=');
        if (equals == std::string_view::npos)
            return std::nullopt;
        auto& [name, content] = value.parameters.emplace_back(lowered(trimmed(rest.substr(0, equals))), std::string());
        rest = rest.substr(equals + 1);
        if (name.empty() || name.find_first_of(" \t;\"") != std::string::npos)
            return std::nullopt;
        if (rest.starts_with('"')) {
            rest.remove_prefix(1);
            if (!take_quoted(rest, content))
                return std::nullopt;
            rest = trimmed(rest);
            if (!rest.empty() && !rest.starts_with(';'))
                return std::nullopt;
        } else {
            content = trimmed(rest.substr(0, rest.find(';')));
            if (content.find('"') != std::string::npos)
                return std::nullopt;
        }
        const auto next = rest.find(';');
        rest = next == std::string_view::npos ? std::string_view{} : rest.substr(next + 1);
    }
    return value;
}

Result<std::string> boundary_of(std::string_view content_type) {
    const auto value = parse_value(content_type);
    if (!value || !equal_ignoring_case(value->token, "multipart/form-data"))
        return refuse("The body must be multipart/form-data.");
    const std::string* boundary = value->find("boundary");
    constexpr std::string_view marks = "'()+_,-./:=? ";
    const auto allowed = [&](char character) {
        return (lower(character) >= 'a' && lower(character) <= 'z') || (character >= '0' && character <= '9') ||
               marks.find(character) != std::string_view::npos;
    };
    if (boundary == nullptr || value->count("boundary") > 1 || boundary->empty() ||
        boundary->size() > longest_boundary || boundary->ends_with(' ') || !std::ranges::all_of(*boundary, allowed))
        return refuse("Content-Type must have a boundary of 1 to 70 characters.");
    return *boundary;
}

/// Whether text fields have this type; a part with another one is a file, whatever it is called.
bool is_text(std::string_view media_type) {
    return media_type.empty() || media_type.starts_with("text/") || media_type == "application/json" ||
           media_type == "application/x-www-form-urlencoded";
}

/// `number` counts from 1, for messages about parts without a name.
Result<Part> parse_part(std::string_view head, std::string_view content, std::size_t number) {
    Part part{.content = content};
    const auto broken = [&](std::string_view what) {
        return refuse(part.name.empty() ? fmt::format("Part {} of the form {}.", number, what)
                                        : fmt::format("{}: its part of the form {}", part.name, what),
                      part.name);
    };
    Headers headers;
    while (!head.empty()) {
        const auto line = head.substr(0, head.find(line_end));
        head.remove_prefix(std::min(head.size(), line.size() + line_end.size()));
        const auto colon = line.find(':');
        if (colon == std::string_view::npos || colon == 0 || line.find_first_of(" \t") < colon ||
            line.find_first_of(std::string_view("\r\n\0", 3)) != std::string_view::npos)
            return broken("has a malformed header");
        headers.add(std::string(line.substr(0, colon)), std::string(trimmed(line.substr(colon + 1))));
    }
    const auto disposition = headers.find("Content-Disposition");
    const auto value = disposition ? parse_value(*disposition) : std::nullopt;
    if (headers.count("Content-Disposition") != 1 || !value || !equal_ignoring_case(value->token, "form-data") ||
        value->count("name") != 1 || value->find("name")->empty() || value->count("filename") > 1)
        return broken("must have one Content-Disposition: form-data with one name");
    if (base::valid_utf8(*value->find("name")) != *value->find("name"))
        return broken("has a name that is no UTF-8");
    part.name = *value->find("name");
    if (headers.count("Content-Type") > 1)
        return broken("has several types");
    const auto type = parse_value(headers.find("Content-Type").value_or(""));
    if (!type)
        return broken("has a malformed type");
    part.media_type = lowered(type->token);
    part.is_file =
        value->find("filename") != nullptr || value->find("filename*") != nullptr || !is_text(part.media_type);
    const std::string* charset = type->find("charset");
    if (!part.is_file && charset != nullptr && !equal_ignoring_case(*charset, "utf-8") &&
        !equal_ignoring_case(*charset, "us-ascii"))
        return broken("must be in UTF-8");
    for (const auto& [name, coding] : headers)
        if (equal_ignoring_case(name, "Content-Transfer-Encoding") && !equal_ignoring_case(coding, "binary") &&
            !equal_ignoring_case(coding, "8bit") && !equal_ignoring_case(coding, "7bit"))
            return broken("must not be encoded: send the bytes as they are");
    return part;
}

}  // namespace

std::string media_type_of(std::string_view content_type) {
    return lowered(trimmed(content_type.substr(0, content_type.find(';'))));
}

Result<std::vector<Part>> parse_multipart(std::string_view content_type, std::string_view body,
                                          MultipartLimits limits) {
    const auto boundary = boundary_of(content_type);
    if (!boundary)
        return std::unexpected(boundary.error());
    const std::string delimiter = fmt::format("\r\n--{}", *boundary);
    // The first delimiter may stand at the very beginning, without the line end of the part before it.
    if (body.starts_with(line_end))
        body.remove_prefix(line_end.size());
    if (!body.starts_with(std::string_view(delimiter).substr(line_end.size())))
        return refuse("The form must begin with its boundary.");
    body.remove_prefix(delimiter.size() - line_end.size());

    std::vector<Part> parts;
    while (true) {  // `body` begins behind a boundary
        if (body.starts_with("--")) {
            body.remove_prefix(2);
            if (body.find_first_not_of("\r\n \t") != std::string_view::npos)
                return refuse("The form goes on after its last boundary.");
            return parts;
        }
        const auto padding = std::min(body.find_first_not_of(" \t"), body.size());
        if (!body.substr(padding).starts_with(line_end))
            return refuse("The form has a boundary that does not end its line.");
        body.remove_prefix(padding + line_end.size());
        if (parts.size() == limits.max_parts)
            return refuse(fmt::format("The form has more than {} parts.", limits.max_parts));
        constexpr std::string_view head_end = "\r\n\r\n";
        const auto head_size = body.substr(0, limits.max_head_bytes + head_end.size()).find(head_end);
        if (head_size == std::string_view::npos)
            return refuse(fmt::format("Part {} of the form has no head, or one of more than {} bytes.",
                                      parts.size() + 1, limits.max_head_bytes));
        const auto head = body.substr(0, head_size);
        // The line end that closes an empty part is the one behind its head.
        body.remove_prefix(head_size + line_end.size());
        const auto end = body.find(delimiter);
        if (end == std::string_view::npos)
            return refuse("The form ends before its last boundary.");
        const auto content = body.substr(std::min(line_end.size(), end), end - std::min(line_end.size(), end));
        auto part = parse_part(head, content, parts.size() + 1);
        if (!part)
            return std::unexpected(std::move(part).error());
        parts.push_back(*std::move(part));
        body.remove_prefix(end + delimiter.size());
    }
}

}  // namespace http
