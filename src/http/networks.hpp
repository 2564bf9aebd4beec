#pragma once

/// Sets of network addresses, for settings that say whom to believe.

#include <boost/asio/ip/network_v4.hpp>
#include <boost/asio/ip/network_v6.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace http {

class Networks {
public:
    Networks() = default;

    /// Adds "192.0.2.7", "10.0.0.0/8", "::1" or "fd00::/8"; false when it is none of these.
    bool add(std::string_view text);

    /// Whether `address`, without a port, is in one of them; an IPv4 address written as IPv6 is the IPv4 one. False for
    /// what is no address.
    bool contain(std::string_view address) const;

    bool empty() const { return v4_.empty() && v6_.empty(); }

private:
    std::vector<boost::asio::ip::network_v4> v4_;
    std::vector<boost::asio::ip::network_v6> v6_;
};

}  // namespace http
