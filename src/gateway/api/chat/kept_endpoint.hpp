#pragma once

#include "gateway/api/endpoints.hpp"
#include "gateway/store/entry.hpp"
#include "http/exchange.hpp"

namespace gateway::api::chat {

struct Completion;

/// Puts a completion into the store. Who asked has the answer in any case: that it cannot be kept is for the log.
http::asio::awaitable<void> keep(const Services& services, store::Entry entry, const Completion& completion);

/// `GET /v1/chat/completions`.
http::asio::awaitable<void> list_kept(http::Exchange& exchange, const Services& services);
/// `GET /v1/chat/completions/{completion_id}`.
http::asio::awaitable<void> show_kept(http::Exchange& exchange, const Services& services);
/// `POST /v1/chat/completions/{completion_id}`.
http::asio::awaitable<void> update_kept(http::Exchange& exchange, const Services& services);
/// `DELETE /v1/chat/completions/{completion_id}`.
http::asio::awaitable<void> remove_kept(http::Exchange& exchange, const Services& services);
/// `GET /v1/chat/completions/{completion_id}/messages`.
http::asio::awaitable<void> list_kept_messages(http::Exchange& exchange, const Services& services);

}  // namespace gateway::api::chat
