#pragma once

/// Going on with what is right: what is wrong has been sent as the answer.

#include <expected>
#include <optional>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "http/exchange.hpp"
#include "schema/schema.hpp"

namespace gateway::api {

/// Every fault as an error of its own, so that one answer lists them all with their paths.
std::vector<base::Error> to_errors(const schema::Faults& faults);
std::vector<base::Error> to_errors(base::Error error);

/// The value. When there is none, its errors have been sent and nothing is returned.
///
///     auto history = co_await require(exchange, read(...));
///     if (!history)
///         co_return;
template <typename T, typename E>
http::asio::awaitable<std::optional<T>> require(http::Exchange& exchange, std::expected<T, E> result) {
    if (result)
        co_return std::optional<T>(*std::move(result));
    co_await exchange.send_errors(to_errors(std::move(result).error()));
    co_return std::nullopt;
}

}  // namespace gateway::api
