#pragma once

/// What may be downloaded for a client, who could otherwise have the gateway ask things in a network that is not his.

#include <boost/asio/ip/address.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.hpp"
#include "base/result.hpp"

namespace gateway::fetch {

struct Rules {
    /// `host`, `host:port` or `*.domain`; a host without a port means the usual ones. Empty: nothing is downloaded.
    std::vector<std::string> hosts;
    /// Whether those hosts may have addresses that are not of the public internet.
    bool private_addresses = false;
    std::size_t most_bytes = std::size_t{20} << 20;
    /// For all that one job names, redirects included.
    base::Duration timeout = std::chrono::seconds(10);
    unsigned most_redirects = 3;
};

/// Where something is, as far as it may be asked for there.
struct Target {
    bool tls = true;
    std::string host;
    std::string port;
    /// Path and query.
    std::string path;
};

/// Errors are sentences about "the address", for the client.
base::Result<Target> target_of(std::string_view url, const Rules& rules);

/// An address of the public internet, and no other machine's, network's or protocol's way to one that is not.
bool is_public(const boost::asio::ip::address& address);

}  // namespace gateway::fetch
