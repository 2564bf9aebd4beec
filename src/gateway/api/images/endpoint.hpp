#pragma once

#include "gateway/api/endpoints.hpp"

namespace gateway::api::images {

/// Answers POST /v1/images/generations; streams as chat does (chat/endpoint.hpp), without a final [DONE], as OpenAI's
/// do. `services` must outlive the exchange.
http::asio::awaitable<void> generate(http::Exchange& exchange, const Services& services);

}  // namespace gateway::api::images
