#pragma once

#include "gateway/api/endpoints.hpp"

namespace gateway::api::completions {

/// POST /v1/completions.
http::asio::awaitable<void> complete(http::Exchange& exchange, const Services& services);

}  // namespace gateway::api::completions
