#include "http/message.hpp"

#include <algorithm>
#include <array>

namespace http {
namespace {

char lower(char character) {
    return character >= 'A' && character <= 'Z' ? static_cast<char>(character - 'A' + 'a') : character;
}

std::string_view trimmed(std::string_view text) {
    const auto begin = text.find_first_not_of(" \t");
    if (begin == std::string_view::npos) {
        return {};
    }
    return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

constexpr std::array<std::pair<Method, std::string_view>, 7> method_names{{
    {Method::get, "GET"},
    {Method::head, "HEAD"},
    {Method::post, "POST"},
    {Method::put, "PUT"},
    {Method::patch, "PATCH"},
    {Method::delete_, "DELETE"},
    {Method::options, "OPTIONS"},
}};

}  // namespace

bool equal_ignoring_case(std::string_view left, std::string_view right) {
    return std::ranges::equal(left, right, {}, lower, lower);
}

std::string_view to_string(Method method) {
    for (const auto& [known, name] : method_names) {
        if (known == method) {
            return name;
        }
    }
    return "other";
}

Method method_from(std::string_view name) {
    for (const auto& [method, known] : method_names) {
        if (known == name) {
            return method;
        }
    }
    return Method::other;
}

std::optional<std::string_view> Headers::find(std::string_view name) const {
    for (const auto& [known, value] : fields_) {
        if (equal_ignoring_case(known, name)) {
            return value;
        }
    }
    return std::nullopt;
}

void Headers::set(std::string_view name, std::string value) {
    std::erase_if(fields_, [name](const Field& field) { return equal_ignoring_case(field.first, name); });
    fields_.emplace_back(std::string(name), std::move(value));
}

bool Headers::lists(std::string_view name, std::string_view token) const {
    for (const auto& [known, value] : fields_) {
        if (!equal_ignoring_case(known, name)) {
            continue;
        }
        for (std::string_view rest = value; !rest.empty();) {
            const auto comma = rest.find(',');
            if (equal_ignoring_case(trimmed(rest.substr(0, comma)), token)) {
                return true;
            }
            rest = comma == std::string_view::npos ? std::string_view{} : rest.substr(comma + 1);
        }
    }
    return false;
}

std::size_t Headers::count(std::string_view name) const {
    return static_cast<std::size_t>(
        std::ranges::count_if(fields_, [name](const Field& field) { return equal_ignoring_case(field.first, name); }));
}

std::string_view Request::path_parameter(std::string_view name) const {
    for (const auto& [known, value] : path_parameters) {
        if (known == name) {
            return value;
        }
    }
    return {};
}

Response json_response(std::string body, int status) {
    return {.status = status, .headers = {{"Content-Type", "application/json"}}, .body = std::move(body)};
}

Response text_response(std::string body, std::string content_type, int status) {
    return {.status = status, .headers = {{"Content-Type", std::move(content_type)}}, .body = std::move(body)};
}

}  // namespace http
