#include "gateway/api/kept_entry.hpp"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "gateway/api/store_access.hpp"

namespace gateway::api {

using http::asio::awaitable;

store::Key kept_key(const http::Exchange& exchange, const Services& services, store::Kind kind,
                    std::string_view parameter) {
    return {.kind = kind,
            .owner = services.keeping.owner(exchange.request()),
            .id = std::string(exchange.request().path_parameter(parameter))};
}

base::Error unknown_entry(const store::Key& key) {
    const std::string_view what = key.kind == store::Kind::response ? "Response" : "Chat completion";
    return {.code = base::ErrorCode::not_found,
            .message = fmt::format("{} with id '{}' not found.", what, key.id),
            .param = {},
            .retry_after = {}};
}

awaitable<std::optional<store::Entry>> read_entry(http::Exchange& exchange, const Services& services, store::Key key) {
    base::Result<std::optional<store::Entry>> entry;
    if (services.keeping.store != nullptr)
        entry = co_await on_store(*services.keeping.store, [key](store::Shelf& shelf) { return shelf.find(key); });
    if (!entry) {
        co_await exchange.send_error(entry.error());
        co_return std::nullopt;
    }
    if (!*entry)
        co_await exchange.send_error(unknown_entry(key));
    co_return *std::move(entry);
}

awaitable<bool> remove_entry(http::Exchange& exchange, const Services& services, store::Key key) {
    base::Result<bool> removed = false;
    if (services.keeping.store != nullptr)
        removed = co_await on_store(*services.keeping.store, [key](store::Shelf& shelf) { return shelf.remove(key); });
    if (!removed)
        co_await exchange.send_error(removed.error());
    else if (!*removed)
        co_await exchange.send_error(unknown_entry(key));
    co_return removed && *removed;
}

}  // namespace gateway::api
