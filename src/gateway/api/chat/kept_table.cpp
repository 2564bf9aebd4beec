#include "gateway/api/chat/kept_table.hpp"

#include <boost/json/object.hpp>

#include "gateway/api/chat/kept.hpp"
#include "gateway/api/chat/kept_endpoint.hpp"
#include "gateway/api/query.hpp"

namespace gateway::api::chat {
namespace {

using http::Method;

const std::vector<int> lookup_errors{400, 401, 404, 429, 500};

using Answering = http::asio::awaitable<void> (*)(http::Exchange&, const Services&);

std::function<http::Handler(const Services&)> handled_by(Answering answer) {
    return [answer](const Services& services) {
        return [answer, services](http::Exchange& exchange) { return answer(exchange, services); };
    };
}

}  // namespace

std::vector<Endpoint> make_kept_endpoints() {
    return {
        {.method = Method::get,
         .path = "/v1/chat/completions",
         .id = "listChatCompletions",
         .tag = "Chat",
         .summary = "List kept completions",
         .doc = "Those that were made with `store: true` and the same key.",
         .query = query_of<ListQuery>(),
         .answers = {{200, "The completions.", {json<CompletionList>()}}},
         .errors = {400, 401, 429, 500},
         .handler = handled_by(&list_kept)},
        {.method = Method::get,
         .path = "/v1/chat/completions/{completion_id}",
         .id = "getChatCompletion",
         .tag = "Chat",
         .summary = "Show a kept completion",
         .answers = {{200, "The completion.", {json<Completion>()}}},
         .errors = lookup_errors,
         .handler = handled_by(&show_kept)},
        {.method = Method::post,
         .path = "/v1/chat/completions/{completion_id}",
         .id = "updateChatCompletion",
         .tag = "Chat",
         .summary = "Change the metadata of a kept completion",
         .body =
             json<Update>({{"metadata", boost::json::object{{"metadata", boost::json::object{{"topic", "demo"}}}}}}),
         .answers = {{200, "The completion.", {json<Completion>()}}},
         .errors = {400, 401, 404, 408, 413, 415, 429, 500},
         .handler = handled_by(&update_kept)},
        {.method = Method::delete_,
         .path = "/v1/chat/completions/{completion_id}",
         .id = "deleteChatCompletion",
         .tag = "Chat",
         .summary = "Delete a kept completion",
         .answers = {{200, "It is gone.", {json<DeletedCompletion>()}}},
         .errors = lookup_errors,
         .handler = handled_by(&remove_kept)},
        {.method = Method::get,
         .path = "/v1/chat/completions/{completion_id}/messages",
         .id = "listChatCompletionMessages",
         .tag = "Chat",
         .summary = "List the messages that a kept completion was asked with",
         .query = query_of<MessagesQuery>(),
         .answers = {{200, "The messages.", {json<MessageList>()}}},
         .errors = lookup_errors,
         .handler = handled_by(&list_kept_messages)},
    };
}

}  // namespace gateway::api::chat
