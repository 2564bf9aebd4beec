#pragma once

#include "gateway/api/endpoints.hpp"

namespace gateway::api::embeddings {

/// POST /v1/embeddings.
http::asio::awaitable<void> embed(http::Exchange& exchange, const Services& services);

}  // namespace gateway::api::embeddings
