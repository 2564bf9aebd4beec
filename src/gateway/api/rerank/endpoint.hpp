#pragma once

#include "gateway/api/endpoints.hpp"

namespace gateway::api::rerank {

/// POST /v1/rerank.
http::asio::awaitable<void> rank(http::Exchange& exchange, const Services& services);

}  // namespace gateway::api::rerank
