// What can be done with a response that is kept.
#include <fmt/format.h>

#include <algorithm>

#include "gateway/api/kept_entry.hpp"
#include "gateway/api/query.hpp"
#include "gateway/api/responses/background.hpp"
#include "gateway/api/responses/endpoint.hpp"
#include "gateway/api/responses/keep.hpp"
#include "gateway/api/responses/stream.hpp"

namespace gateway::api::responses {
namespace {

using http::asio::awaitable;

store::Key key_of(const http::Exchange& exchange, const Services& services) {
    return kept_key(exchange, services, store::Kind::response, "response_id");
}

base::Error invalid(std::string message, std::string param = {}) {
    return {
        .code = base::ErrorCode::invalid, .message = std::move(message), .param = std::move(param), .retry_after = {}};
}

awaitable<void> stream_again(http::Exchange& exchange, store::Entry entry, std::int64_t after) {
    if (entry.events.empty()) {
        co_await exchange.send_error(
            invalid("Only a response that was made with background and stream can be streamed again.", "stream"));
        co_return;
    }
    http::SseWriter writer(exchange);
    if (co_await writer.start() && co_await send_events(writer, replay(entry, after)))
        co_await writer.finish();
}

ItemList page_of(std::vector<Item> items, const InputItemsQuery& query, std::size_t begin) {
    ItemList page;
    const std::size_t end = std::min(items.size(), begin + static_cast<std::size_t>(query.limit));
    page.has_more = end < items.size();
    page.data.assign(std::make_move_iterator(items.begin() + static_cast<std::ptrdiff_t>(begin)),
                     std::make_move_iterator(items.begin() + static_cast<std::ptrdiff_t>(end)));
    if (!page.data.empty()) {
        page.first_id = id_of(page.data.front());
        page.last_id = id_of(page.data.back());
    }
    return page;
}

}  // namespace

awaitable<void> retrieve(http::Exchange& exchange, const Services& services) {
    const auto query = co_await read_query<RetrieveQuery>(exchange);
    if (!query)
        co_return;
    const store::Key key = key_of(exchange, services);
    const bool streamed = query->stream.value_or(false);
    const std::int64_t after = query->starting_after.value_or(-1);
    if (auto running = services.background.find(key)) {
        if (!streamed)
            co_await exchange.send(http::json_response(schema::to_text(running->response())));
        else if (running->is_streamed())
            co_await follow(exchange, std::move(running), after);
        else
            co_await stream_again(exchange, {}, after);
        co_return;
    }
    auto entry = co_await read_entry(exchange, services, key);
    if (!entry)
        co_return;
    if (streamed)
        co_await stream_again(exchange, *std::move(entry), after);
    else
        co_await exchange.send(http::json_response(schema::to_text(to_response(*entry))));
}

awaitable<void> remove(http::Exchange& exchange, const Services& services) {
    const store::Key key = key_of(exchange, services);
    if (auto running = services.background.find(key)) {
        running->forget();
        running->cancel();
    }
    if (co_await remove_entry(exchange, services, key))
        co_await exchange.send(http::json_response(schema::to_text(Deleted{.id = key.id})));
}

awaitable<void> cancel(http::Exchange& exchange, const Services& services) {
    const store::Key key = key_of(exchange, services);
    if (auto running = services.background.find(key)) {
        running->cancel();
        Response response = running->response();
        // What is under way ends a moment later; the state is decided now.
        if (response.status == Status::queued || response.status == Status::in_progress)
            response.status = Status::cancelled;
        co_await exchange.send(http::json_response(schema::to_text(response)));
        co_return;
    }
    auto entry = co_await read_entry(exchange, services, key);
    if (!entry)
        co_return;
    const Response response = to_response(*entry);
    if (response.background)
        co_await exchange.send(http::json_response(schema::to_text(response)));
    else
        co_await exchange.send_error(invalid("Only a response that was made with background can be cancelled."));
}

awaitable<void> list_input_items(http::Exchange& exchange, const Services& services) {
    const auto query = co_await read_query<InputItemsQuery>(exchange);
    if (!query)
        co_return;
    auto entry = co_await read_entry(exchange, services, key_of(exchange, services));
    if (!entry)
        co_return;
    std::vector<Item> items = to_input(*entry);
    if (query->order == Order::descending)
        std::ranges::reverse(items);
    std::size_t begin = 0;
    if (query->after) {
        const auto found = std::ranges::find(items, *query->after, &id_of);
        if (found == items.end()) {
            co_await exchange.send_error(
                invalid(fmt::format("There is no item `{}` to go on after.", *query->after), "after"));
            co_return;
        }
        begin = static_cast<std::size_t>(found - items.begin()) + 1;
    }
    co_await exchange.send(http::json_response(schema::to_text(page_of(std::move(items), *query, begin))));
}

}  // namespace gateway::api::responses
