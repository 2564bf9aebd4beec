#include "http/forwarded.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ranges>
#include <utility>

namespace http {
namespace {

std::string_view trimmed(std::string_view text) {
    const auto begin = text.find_first_not_of(" \t");
    return begin == std::string_view::npos ? std::string_view{}
                                           : text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

/// What the proxy that the client sees wrote: each further one adds to the end. Empty when there is nothing.
std::string_view first_of(const Request& request, std::string_view header) {
    const auto value = request.headers.find(header).value_or("");
    return trimmed(value.substr(0, value.find(',')));
}

bool is_host(std::string_view text) {
    return !text.empty() && text.size() <= 255 && std::ranges::all_of(text, [](char character) {
        const char lower = static_cast<char>(character | 0x20);
        return (lower >= 'a' && lower <= 'z') || (character >= '0' && character <= '9') ||
               std::string_view(".-_:[]").contains(character);
    });
}

bool is_prefix(std::string_view text) {
    return text.starts_with('/') && !text.starts_with("//") && text.size() <= 255 &&
           std::ranges::all_of(text, [](char character) {
               const char lower = static_cast<char>(character | 0x20);
               return (lower >= 'a' && lower <= 'z') || (character >= '0' && character <= '9') ||
                      std::string_view("/.-_~%").contains(character);
           });
}

/// The last address in the list that is no trusted proxy's own: what stands before it anybody can have written.
std::string client_of(const Request& request, const Networks& trusted) {
    std::string peer = request.peer;
    std::vector<std::string_view> addresses;
    for (const auto& [name, value] : request.headers)
        if (equal_ignoring_case(name, "X-Forwarded-For"))
            for (const auto part : std::views::split(std::string_view(value), ','))
                addresses.push_back(trimmed(std::string_view(part)));
    for (const auto address : std::views::reverse(addresses)) {
        if (!trusted.contain(peer))
            break;
        if (address.empty())
            break;
        peer = address.substr(0, 64);
    }
    return peer;
}

std::string base_url(std::string_view scheme, std::string_view host, std::string_view prefix) {
    while (prefix.ends_with('/'))
        prefix.remove_suffix(1);
    return is_host(host) ? fmt::format("{}://{}{}", scheme, host, prefix) : std::string(prefix);
}

std::string forwarded_base_url(const Request& request) {
    const std::string_view scheme =
        equal_ignoring_case(first_of(request, "X-Forwarded-Proto"), "https") ? "https" : "http";
    std::string host(first_of(request, "X-Forwarded-Host"));
    if (!is_host(host))
        host = request.headers.find("Host").value_or("");
    const auto port = first_of(request, "X-Forwarded-Port");
    const bool usual = port == (scheme == "https" ? "443" : "80");
    const bool is_port = !port.empty() && port.size() <= 5 &&
                         std::ranges::all_of(port, [](char digit) { return digit >= '0' && digit <= '9'; });
    if (is_port && !usual && !std::string_view(host).substr(host.rfind(']') + 1).contains(':'))
        host += fmt::format(":{}", port);
    const auto prefix = first_of(request, "X-Forwarded-Prefix");
    return base_url(scheme, host, is_prefix(prefix) ? prefix : std::string_view{});
}

asio::awaitable<void> see_through(const Networks& trusted, Exchange& exchange, Next next) {
    Request& request = exchange.request();
    if (trusted.contain(request.peer)) {
        request.base_url = forwarded_base_url(request);
        request.peer = client_of(request, trusted);
    } else {
        request.base_url = base_url("http", request.headers.find("Host").value_or(""), {});
    }
    co_await next(exchange);
}

}  // namespace

Middleware forwarded(Networks trusted) {
    return [trusted = std::move(trusted)](Exchange& exchange, const Match&, Next next) {
        return see_through(trusted, exchange, next);
    };
}

}  // namespace http
