#pragma once

#include "gateway/api/endpoints.hpp"
#include "http/exchange.hpp"

namespace gateway::api::responses {

/// `POST /v1/responses`.
http::asio::awaitable<void> create(http::Exchange& exchange, const Services& services);

/// `POST /v1/responses/input_tokens`.
http::asio::awaitable<void> count_input_tokens(http::Exchange& exchange, const Services& services);

/// `GET /v1/responses/{response_id}`.
http::asio::awaitable<void> retrieve(http::Exchange& exchange, const Services& services);

/// `DELETE /v1/responses/{response_id}`.
http::asio::awaitable<void> remove(http::Exchange& exchange, const Services& services);

/// `POST /v1/responses/{response_id}/cancel`.
http::asio::awaitable<void> cancel(http::Exchange& exchange, const Services& services);

/// `GET /v1/responses/{response_id}/input_items`.
http::asio::awaitable<void> list_input_items(http::Exchange& exchange, const Services& services);

}  // namespace gateway::api::responses
