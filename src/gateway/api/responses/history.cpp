#include "gateway/api/responses/history.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "gateway/api/responses/background.hpp"
#include "gateway/api/responses/keep.hpp"
#include "gateway/api/responses/to_job.hpp"
#include "gateway/api/store_access.hpp"

namespace gateway::api::responses {
namespace {

using http::asio::awaitable;

base::Error not_kept(std::string what, std::string param) {
    return {.code = base::ErrorCode::invalid, .message = std::move(what), .param = std::move(param), .retry_after = {}};
}

awaitable<base::Result<std::vector<PlacedItem>>> read_conversation(const http::Exchange& exchange,
                                                                   const Services& services, std::string id) {
    const store::Key key{.kind = store::Kind::response, .owner = services.keeping.owner(exchange.request()), .id = id};
    if (services.background.find(key) != nullptr)
        co_return std::unexpected(
            not_kept(fmt::format("The response `{}` is not complete yet.", id), "previous_response_id"));
    base::Result<std::vector<store::Entry>> entries;
    if (services.keeping.store != nullptr)
        entries =
            co_await on_store(*services.keeping.store, [key](store::Shelf& shelf) { return shelf.conversation(key); });
    if (entries && entries->empty())
        co_return std::unexpected(
            not_kept(fmt::format("Previous response with id '{}' not found.", id), "previous_response_id"));
    if (!entries) {
        if (entries.error().code == base::ErrorCode::invalid)
            entries.error().param = "previous_response_id";
        co_return std::unexpected(entries.error());
    }
    co_return to_conversation(*entries);
}

const Item* find_item(const std::vector<PlacedItem>& items, const std::string& id) {
    const auto found = std::ranges::find_if(items, [&](const PlacedItem& placed) {
        return !std::holds_alternative<ItemReference>(placed.item.held) && id_of(placed.item) == id;
    });
    return found == items.end() ? nullptr : &found->item;
}

/// The item of an earlier response; nothing when there is none.
awaitable<base::Result<std::optional<Item>>> read_item(const http::Exchange& exchange, const Services& services,
                                                       std::string id) {
    const std::string response = response_of_item(id);
    if (services.keeping.store == nullptr || response.empty())
        co_return std::nullopt;
    const store::Key key{
        .kind = store::Kind::response, .owner = services.keeping.owner(exchange.request()), .id = response};
    auto entry = co_await on_store(*services.keeping.store, [key](store::Shelf& shelf) { return shelf.find(key); });
    if (!entry)
        co_return std::unexpected(entry.error());
    if (!*entry)
        co_return std::nullopt;
    const std::vector<PlacedItem> items = to_conversation({**entry});
    const Item* item = find_item(items, id);
    co_return item != nullptr ? std::optional(*item) : std::nullopt;
}

}  // namespace

std::vector<PlacedItem> History::all() const {
    std::vector<PlacedItem> items = earlier;
    items.insert(items.end(), input.begin(), input.end());
    return items;
}

awaitable<base::Result<History>> read_history(const http::Exchange& exchange, const Services& services,
                                              const Prompt& prompt) {
    History history{.earlier = {}, .input = input_items(prompt)};
    if (prompt.previous_response_id) {
        auto earlier = co_await read_conversation(exchange, services, *prompt.previous_response_id);
        if (!earlier)
            co_return std::unexpected(earlier.error());
        history.earlier = *std::move(earlier);
    }
    for (PlacedItem& placed : history.input) {
        const auto* reference = std::get_if<ItemReference>(&placed.item.held);
        if (reference == nullptr)
            continue;
        const std::string id = reference->id;
        const Item* known = find_item(history.earlier, id);
        known = known != nullptr ? known : find_item(history.input, id);
        if (known != nullptr) {
            placed.item = Item(*known);
            continue;
        }
        auto item = co_await read_item(exchange, services, id);
        if (!item)
            co_return std::unexpected(item.error());
        if (!*item)
            co_return std::unexpected(not_kept(fmt::format("Item with id '{}' not found.", id), placed.path + ".id"));
        placed.item = **std::move(item);
    }
    co_return history;
}

}  // namespace gateway::api::responses
