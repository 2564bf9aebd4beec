#pragma once

#include "gateway/api/endpoints.hpp"

namespace gateway::api::images {

/// Answers POST /v1/images/generations; streams as chat does (chat/endpoint.hpp), without a final [DONE], as OpenAI's
/// do. `services` must outlive the exchange; so in all of these.
http::asio::awaitable<void> generate(http::Exchange& exchange, const Services& services);

/// POST /v1/images/edits, as a form or as JSON; streams likewise.
http::asio::awaitable<void> edit(http::Exchange& exchange, const Services& services);

/// POST /v1/images/variations, a form.
http::asio::awaitable<void> vary(http::Exchange& exchange, const Services& services);

/// POST /v1/images/upscale, a form or JSON.
http::asio::awaitable<void> upscale(http::Exchange& exchange, const Services& services);

}  // namespace gateway::api::images
