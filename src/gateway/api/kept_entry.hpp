#pragma once

/// One entry of the store that a request names in its path: what chat completions and responses that are kept have in
/// common. Every function answers the exchange itself when there is nothing to go on with.

#include <optional>
#include <string_view>

#include "gateway/api/endpoints.hpp"
#include "gateway/store/entry.hpp"
#include "http/exchange.hpp"

namespace gateway::api {

/// The entry of this kind that the path parameter names, among those of the client who asks.
store::Key kept_key(const http::Exchange& exchange, const Services& services, store::Kind kind,
                    std::string_view parameter);

/// That there is no such entry, or that it belongs to somebody else: 404.
base::Error unknown_entry(const store::Key& key);

/// The entry; when there is none, that has been said and nothing is returned.
http::asio::awaitable<std::optional<store::Entry>> read_entry(http::Exchange& exchange, const Services& services,
                                                              store::Key key);

/// Whether the entry was there and is removed; otherwise that has been said.
http::asio::awaitable<bool> remove_entry(http::Exchange& exchange, const Services& services, store::Key key);

}  // namespace gateway::api
