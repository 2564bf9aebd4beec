#include "http/networks.hpp"

#include <algorithm>
#include <boost/asio/ip/address.hpp>

namespace http {
namespace {

namespace ip = boost::asio::ip;

std::optional<ip::address> parse_address(std::string_view text) {
    boost::system::error_code error;
    const auto address = ip::make_address(std::string(text), error);
    if (error)
        return std::nullopt;
    if (address.is_v6() && address.to_v6().is_v4_mapped())
        return ip::make_address_v4(ip::v4_mapped, address.to_v6());
    return address;
}

/// Whether `member` is in `network` when both are cut to the network's prefix.
template <typename Network, typename Address>
bool holds(const Network& network, const Address& member) {
    return Network(member, network.prefix_length()).canonical() == network.canonical();
}

}  // namespace

bool Networks::add(std::string_view text) {
    if (const auto address = parse_address(text)) {
        if (address->is_v4())
            v4_.emplace_back(address->to_v4(), static_cast<unsigned short>(32));
        else
            v6_.emplace_back(address->to_v6(), static_cast<unsigned short>(128));
        return true;
    }
    boost::system::error_code error;
    if (const auto network = ip::make_network_v4(std::string(text), error); !error) {
        v4_.push_back(network);
        return true;
    }
    if (const auto network = ip::make_network_v6(std::string(text), error); !error) {
        v6_.push_back(network);
        return true;
    }
    return false;
}

bool Networks::contain(std::string_view text) const {
    const auto address = parse_address(text);
    if (!address)
        return false;
    if (address->is_v4())
        return std::ranges::any_of(v4_, [&](const auto& network) { return holds(network, address->to_v4()); });
    return std::ranges::any_of(v6_, [&](const auto& network) { return holds(network, address->to_v6()); });
}

}  // namespace http
