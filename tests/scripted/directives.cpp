#include "scripted/directives.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>

namespace scripted {
namespace {

std::optional<unsigned> number(std::string_view text) {
    unsigned value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

contract::ErrorCode error_code(std::string_view name) {
    std::string upper(name);
    std::ranges::transform(upper, upper.begin(), [](unsigned char letter) { return std::toupper(letter); });
    contract::ErrorCode code = contract::INTERNAL;
    contract::ErrorCode_Parse(upper, &code);
    return code;
}

void obey(std::string_view key, std::string_view value, Directives& directives) {
    const auto count = number(value);
    if (key == "tokens")
        directives.tokens = count;
    if (key == "delay_ms")
        directives.delay = std::chrono::milliseconds(count.value_or(0));
    if (key == "first_delay_ms")
        directives.first_delay = std::chrono::milliseconds(count.value_or(0));
    if (key == "reasoning")
        directives.reasoning = count.value_or(0);
    if (key == "tool")
        directives.tool = value;
    if (key == "prompt_tokens")
        directives.prompt_tokens = count;
    if (key == "cached_tokens")
        directives.cached_tokens = count.value_or(0);
    if (key == "finish")
        directives.finish_by_length = value == "length";
    if (key == "fail")
        directives.fail = error_code(value);
    if (key == "fail_after")
        directives.fail_after = count.value_or(0);
    if (key == "crash")
        directives.crash_after = 0;
    if (key == "crash_after")
        directives.crash_after = count;
    if (key == "hang")
        directives.hang_after = 0;
    if (key == "hang_after")
        directives.hang_after = count;
}

void obey_all(std::string_view list, Directives& directives) {
    while (!list.empty()) {
        const auto end = std::min(list.find(' '), list.size());
        const auto item = list.substr(0, end);
        const auto equals = std::min(item.find('='), item.size());
        obey(item.substr(0, equals), item.substr(std::min(equals + 1, item.size())), directives);
        list.remove_prefix(std::min(end + 1, list.size()));
    }
}

std::string trimmed(const std::string& text) {
    const auto first = text.find_first_not_of(" \n\t");
    return first == std::string::npos ? std::string() : text.substr(first, text.find_last_not_of(" \n\t") - first + 1);
}

}  // namespace

Directives directives_of(std::string_view text) {
    Directives directives;
    std::string echo;
    while (!text.empty()) {
        const auto open = text.find("[[");
        const auto close = open == std::string_view::npos ? open : text.find("]]", open);
        if (close == std::string_view::npos) {
            break;
        }
        echo += text.substr(0, open);
        obey_all(text.substr(open + 2, close - open - 2), directives);
        text.remove_prefix(close + 2);
    }
    echo += text;
    directives.echo = trimmed(echo);
    return directives;
}

}  // namespace scripted
