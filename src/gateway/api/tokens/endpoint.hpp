#pragma once

#include "gateway/api/endpoints.hpp"

namespace gateway::api::tokens {

/// POST /tokenize.
http::asio::awaitable<void> tokenize(http::Exchange& exchange, const Services& services);
/// POST /detokenize.
http::asio::awaitable<void> detokenize(http::Exchange& exchange, const Services& services);
/// POST /apply-template: a request of chat, as the text that the model sees.
http::asio::awaitable<void> apply_template(http::Exchange& exchange, const Services& services);
/// POST /v1/chat/completions/input_tokens: how many tokens the prompt of a request of chat has.
http::asio::awaitable<void> count_chat(http::Exchange& exchange, const Services& services);

}  // namespace gateway::api::tokens
