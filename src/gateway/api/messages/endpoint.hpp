#pragma once

#include "gateway/api/endpoints.hpp"

namespace gateway::api::messages {

/// POST /v1/messages
http::asio::awaitable<void> create(http::Exchange& exchange, const Services& services);
/// POST /v1/messages/count_tokens
http::asio::awaitable<void> count(http::Exchange& exchange, const Services& services);

}  // namespace gateway::api::messages
