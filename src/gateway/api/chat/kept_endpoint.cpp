#include "gateway/api/chat/kept_endpoint.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/log.hpp"
#include "gateway/api/chat/kept.hpp"
#include "gateway/api/kept_entry.hpp"
#include "gateway/api/query.hpp"
#include "gateway/api/request_body.hpp"
#include "gateway/api/store_access.hpp"
#include "schema/schema.hpp"

namespace gateway::api::chat {
namespace {

using http::asio::awaitable;

store::Key key_of(const http::Exchange& exchange, const Services& services) {
    return kept_key(exchange, services, store::Kind::chat_completion, "completion_id");
}

awaitable<void> send_completion(http::Exchange& exchange, const store::Entry& entry) {
    const auto completion = to_completion(entry);
    if (completion)
        co_await exchange.send(http::json_response(schema::to_text(*completion)));
    else
        co_await exchange.send_error({.code = base::ErrorCode::internal,
                                      .message = "a kept completion cannot be read",
                                      .param = {},
                                      .retry_after = {}});
}

template <typename List>
void name_ends(List& list) {
    if (list.data.empty())
        return;
    list.first_id = list.data.front().id;
    list.last_id = list.data.back().id;
}

}  // namespace

awaitable<void> keep(const Services& services, store::Entry entry, const Completion& completion) {
    entry.body = schema::to_text(completion);
    auto kept = co_await on_store(*services.keeping.store,
                                  [entry = std::move(entry)](store::Shelf& shelf) { return shelf.put(entry); });
    if (!kept)
        base::log::error("a chat completion could not be kept",
                         {{"id", completion.id}, {"error", kept.error().message}});
}

awaitable<void> list_kept(http::Exchange& exchange, const Services& services) {
    auto query = co_await read_query<ListQuery>(exchange);
    if (!query)
        co_return;
    base::Result<store::Page> page;
    if (services.keeping.store != nullptr)
        page = co_await on_store(
            *services.keeping.store,
            [owner = services.keeping.owner(exchange.request()),
             wanted = store::Query{.model = query->model,
                                   .metadata = query->metadata.value_or(Metadata{}),
                                   .after = query->page.after,
                                   .limit = static_cast<std::size_t>(query->page.limit),
                                   .newest_first = query->page.order == Order::descending}](store::Shelf& shelf) {
                return shelf.list(store::Kind::chat_completion, owner, wanted);
            });
    if (!page) {
        base::Error error = page.error();
        if (error.code == base::ErrorCode::not_found)
            error.code = base::ErrorCode::invalid;  // it is the parameter that is wrong
        co_await exchange.send_error(std::move(error));
        co_return;
    }
    CompletionList list{.data = {}, .first_id = {}, .last_id = {}, .has_more = page->has_more};
    for (const store::Entry& entry : page->entries)
        if (auto completion = to_completion(entry))
            list.data.push_back(*std::move(completion));
    name_ends(list);
    co_await exchange.send(http::json_response(schema::to_text(list)));
}

awaitable<void> show_kept(http::Exchange& exchange, const Services& services) {
    const auto entry = co_await read_entry(exchange, services, key_of(exchange, services));
    if (entry)
        co_await send_completion(exchange, *entry);
}

awaitable<void> update_kept(http::Exchange& exchange, const Services& services) {
    auto update = co_await read_request<Update>(exchange);
    if (!update)
        co_return;
    auto entry = co_await read_entry(exchange, services, key_of(exchange, services));
    if (!entry)
        co_return;
    entry->metadata = std::move(update->metadata);
    auto replaced = co_await on_store(*services.keeping.store,
                                      [changed = *entry](store::Shelf& shelf) { return shelf.replace(changed); });
    if (!replaced)
        co_await exchange.send_error(replaced.error());
    else if (!*replaced)
        co_await exchange.send_error(unknown_entry(entry->key));
    else
        co_await send_completion(exchange, *entry);
}

awaitable<void> remove_kept(http::Exchange& exchange, const Services& services) {
    const store::Key key = key_of(exchange, services);
    if (co_await remove_entry(exchange, services, key))
        co_await exchange.send(http::json_response(schema::to_text(DeletedCompletion{.id = key.id})));
}

awaitable<void> list_kept_messages(http::Exchange& exchange, const Services& services) {
    const auto query = co_await read_query<MessagesQuery>(exchange);
    if (!query)
        co_return;
    const auto entry = co_await read_entry(exchange, services, key_of(exchange, services));
    if (!entry)
        co_return;
    std::vector<KeptMessage> messages = to_messages(*entry);
    if (query->order == Order::descending)
        std::ranges::reverse(messages);
    auto begin = messages.begin();
    if (query->after) {
        const auto found = std::ranges::find(messages, *query->after, &KeptMessage::id);
        if (found == messages.end()) {
            co_await exchange.send_error(
                {.code = base::ErrorCode::invalid,
                 .message = fmt::format("There is no message `{}` to go on after.", *query->after),
                 .param = "after",
                 .retry_after = {}});
            co_return;
        }
        begin = found + 1;
    }
    const auto count = std::min<std::ptrdiff_t>(query->limit, messages.end() - begin);
    MessageList list{
        .data = {begin, begin + count}, .first_id = {}, .last_id = {}, .has_more = begin + count != messages.end()};
    name_ends(list);
    co_await exchange.send(http::json_response(schema::to_text(list)));
}

}  // namespace gateway::api::chat
