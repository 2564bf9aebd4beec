#pragma once

/// What a request goes on from: the kept conversation before it, and the kept items it refers to.

#include <vector>

#include "base/result.hpp"
#include "gateway/api/endpoints.hpp"
#include "gateway/api/responses/conversation.hpp"
#include "gateway/api/responses/types.hpp"
#include "http/exchange.hpp"

namespace gateway::api::responses {

struct History {
    /// From `previous_response_id`, earliest first.
    std::vector<PlacedItem> earlier;
    /// The request's own items, references replaced by what they refer to.
    std::vector<PlacedItem> input;

    /// Both, in order.
    std::vector<PlacedItem> all() const;
};

/// Errors: invalid, with the field, for what is not kept, not the caller's, or not complete yet.
http::asio::awaitable<base::Result<History>> read_history(const http::Exchange& exchange, const Services& services,
                                                          const Prompt& prompt);

}  // namespace gateway::api::responses
