#include "gateway/fetch/rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/url/parse.hpp>
#include <boost/url/url_view.hpp>
#include <cctype>
#include <ranges>

namespace gateway::fetch {
namespace {

using base::ErrorCode;
using base::fail;

std::string lower(std::string_view text) {
    std::string lowered(text);
    std::ranges::transform(lowered, lowered.begin(), [](unsigned char each) { return std::tolower(each); });
    return lowered;
}

bool matches(std::string_view pattern, const std::string& host, const std::string& port, bool usual_port) {
    const std::string rule = lower(pattern);
    if (rule == host + ":" + port) {
        return true;
    }
    if (!usual_port) {
        return false;
    }
    return rule == host || (rule.starts_with("*.") && host.ends_with(std::string_view(rule).substr(1)));
}

struct Network {
    std::array<std::uint8_t, 4> address;
    unsigned bits;
};

// IANA's registry of special IPv4 addresses, and multicast.
constexpr Network special[] = {
    {{0, 0, 0, 0}, 8},      {{10, 0, 0, 0}, 8},     {{100, 64, 0, 0}, 10}, {{127, 0, 0, 0}, 8},
    {{169, 254, 0, 0}, 16}, {{172, 16, 0, 0}, 12},  {{192, 0, 0, 0}, 24},  {{192, 0, 2, 0}, 24},
    {{192, 88, 99, 0}, 24}, {{192, 168, 0, 0}, 16}, {{198, 18, 0, 0}, 15}, {{198, 51, 100, 0}, 24},
    {{203, 0, 113, 0}, 24}, {{224, 0, 0, 0}, 4},    {{240, 0, 0, 0}, 4},
};

std::uint32_t number(const std::array<std::uint8_t, 4>& bytes) {
    return std::uint32_t{bytes[0]} << 24 | std::uint32_t{bytes[1]} << 16 | std::uint32_t{bytes[2]} << 8 | bytes[3];
}

bool is_public(const boost::asio::ip::address_v4& address) {
    return std::ranges::none_of(special, [&](const Network& network) {
        return (address.to_uint() ^ number(network.address)) >> (32 - network.bits) == 0;
    });
}

// Of 2000::/3, the only range that is given out, not what leads elsewhere: protocol assignments and Teredo, examples,
// 6to4.
bool is_public(const boost::asio::ip::address_v6& address) {
    const auto bytes = address.to_bytes();
    const auto first = static_cast<unsigned>(bytes[0]) << 8 | bytes[1];
    const auto second = static_cast<unsigned>(bytes[2]) << 8 | bytes[3];
    const bool given_out = first >> 13 == 1;
    const bool assigned_to_protocols = first == 0x2001 && second < 0x0200;
    const bool example = (first == 0x2001 && second == 0x0db8) || (first == 0x3fff && second < 0x1000);
    return given_out && !assigned_to_protocols && !example && first != 0x2002;
}

}  // namespace

base::Result<Target> target_of(std::string_view url, const Rules& rules) {
    const auto parsed = boost::urls::parse_uri(url);
    if (!parsed || parsed->host().empty()) {
        return fail(ErrorCode::invalid, "The address of the image is no URL.");
    }
    const std::string scheme = lower(parsed->scheme());
    if (scheme != "http" && scheme != "https") {
        return fail(ErrorCode::invalid, "The address of an image begins with data:, https: or http:.");
    }
    if (parsed->has_userinfo()) {
        return fail(ErrorCode::invalid, "The address of an image has no user and password.");
    }
    const bool tls = scheme == "https";
    const std::string usual = tls ? "443" : "80";
    Target target{.tls = tls,
                  .host = lower(parsed->host_address()),
                  .port = parsed->has_port() && !parsed->port().empty() ? std::string(parsed->port()) : usual,
                  .path = std::string(parsed->encoded_target())};
    if (target.path.empty() || target.path.front() != '/') {
        target.path.insert(0, "/");
    }
    const bool allowed = std::ranges::any_of(rules.hosts, [&](const std::string& host) {
        return matches(host, target.host, target.port, target.port == usual);
    });
    if (!allowed) {
        return fail(ErrorCode::invalid,
                    fmt::format("This server downloads no images from {}: send the image as a data: URL with base64.",
                                target.host));
    }
    return target;
}

bool is_public(const boost::asio::ip::address& address) {
    if (address.is_v4()) {
        return is_public(address.to_v4());
    }
    const auto v6 = address.to_v6();
    return v6.is_v4_mapped() ? is_public(boost::asio::ip::make_address_v4(boost::asio::ip::v4_mapped, v6))
                             : is_public(v6);
}

}  // namespace gateway::fetch
