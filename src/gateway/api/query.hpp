#pragma once

/// Query strings as types: the field table of a struct says which parameters there are, checks and documents them.

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <functional>
#include <optional>
#include <string_view>

#include "gateway/api/request_body.hpp"
#include "http/exchange.hpp"
#include "schema/schema.hpp"

namespace gateway::api {

/// `limit=2&include[]=a&include[]=b&metadata[k]=v` -> {"limit": 2, "include": ["a", "b"], "metadata": {"k": "v"}}. Texts
/// become numbers, booleans or lists where `table` wants them. Faults: an escape that is broken, a single value twice.
std::expected<boost::json::object, schema::Faults> query_object(std::string_view query,
                                                                const schema::ObjectShape& table);

/// OpenAPI's `parameters` of the fields of `table`.
boost::json::array document_query(const schema::ObjectShape& table, schema::Components& components);

/// For `Endpoint::query`.
template <typename T>
std::function<boost::json::array(schema::Components&)> query_of() {
    return [](schema::Components& components) { return document_query(describe(schema::Type<T>{}), components); };
}

/// The query as a T, as `read_request` does with the body.
template <typename T>
http::asio::awaitable<std::optional<T>> read_query(http::Exchange& exchange) {
    auto object = co_await require(exchange, query_object(exchange.request().query, describe(schema::Type<T>{})));
    if (!object)
        co_return std::nullopt;
    auto parsed = co_await require(exchange, schema::parse_value<T>(*std::move(object)));
    if (!parsed)
        co_return std::nullopt;
    report_ignored(exchange, parsed->unknown, parsed->ignored);
    co_return std::move(parsed->value);
}

}  // namespace gateway::api
