#pragma once

#include "gateway/api/endpoints.hpp"

namespace gateway::api::chat {

/// Answers POST /v1/chat/completions. `services` must outlive the exchange.
///
/// A stream's headers wait until the first event that decides, at most a second, so that what is refused at once gets
/// its own status; a fault after that is one `data: {"error": ...}` event, and the stream ends without [DONE].
http::asio::awaitable<void> complete(http::Exchange& exchange, const Services& services);

}  // namespace gateway::api::chat
