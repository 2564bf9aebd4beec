#pragma once

/// A response as server-sent events.

#include <cstdint>
#include <vector>

#include "gateway/api/responses/background.hpp"
#include "http/sse.hpp"

namespace gateway::api::responses {

/// False when the client has gone.
http::asio::awaitable<bool> send_events(http::SseWriter& writer, std::vector<StreamEvent> events);

/// Follows a running response to its end, from after event number `after`. A client that leaves changes nothing.
http::asio::awaitable<void> follow(http::Exchange& exchange, std::shared_ptr<RunningResponse> running,
                                   std::int64_t after);

}  // namespace gateway::api::responses
