#pragma once

/// What the endpoints with a JSON body have in common: reading it, and reporting what had no effect.

#include <optional>
#include <utility>

#include "gateway/api/require.hpp"

namespace gateway::api {

/// Adds the header `x-ignored-fields` with the paths of fields that the request carried without effect, if there are
/// any. A client can make a field's name as long as it likes: the header ends after about a kilobyte.
void report_ignored(http::Exchange& exchange, const std::vector<std::string>& unknown,
                    const std::vector<std::string>& ignored);

/// The body as a T. When it is none, the faults have been sent and nothing is returned. The text of the body is gone
/// then: an answer may take minutes, and bodies with pictures have megabytes.
template <typename T>
http::asio::awaitable<std::optional<T>> read_request(http::Exchange& exchange) {
    auto parsed = co_await require(exchange, schema::parse<T>(std::exchange(exchange.request().body, {})));
    if (!parsed)
        co_return std::nullopt;
    report_ignored(exchange, parsed->unknown, parsed->ignored);
    co_return std::move(parsed->value);
}

}  // namespace gateway::api
