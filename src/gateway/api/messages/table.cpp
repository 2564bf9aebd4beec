#include "gateway/api/messages/table.hpp"

#include "gateway/api/messages/answer.hpp"
#include "gateway/api/messages/endpoint.hpp"
#include "gateway/api/messages/examples.hpp"
#include "gateway/api/messages/types.hpp"

namespace gateway::api::messages {
namespace {

using http::Method;

const std::vector<int> errors{400, 401, 404, 408, 413, 415, 429, 500, 504, 529};

}  // namespace

std::vector<Endpoint> make_endpoints() {
    return {
        {.method = Method::post,
         .path = "/v1/messages",
         .id = "createMessage",
         .tag = "Messages",
         .summary = "Continue a conversation, for Anthropic's clients",
         .doc = "Takes the request of Anthropic's API, whose clients need nothing but this server as their base URL. "
                "The key may be sent as `x-api-key`; the headers `anthropic-version` and `anthropic-beta` are "
                "accepted without effect. Fields that had no effect are listed in the header `x-ignored-fields`.\n\n"
                "With `stream` the answer is a stream of server-sent events. What is refused before the first of them "
                "has its own status; a fault after that is one event `error`, which ends the stream. Comments keep "
                "the connection alive while the request waits.",
         .body = json<Request>(examples()),
         .answers = {{200,
                      "The answer, or with `stream` its pieces.",
                      {json<Answer>(),
                       event_stream(
                           "MessagesStreamEvent", "The event's name is the `type` in its data.",
                           {named<MessageStart>(), named<BlockStart>(), named<Ping>(), named<BlockDelta>(),
                            named<BlockStop>(), named<MessageDelta>(), named<MessageStop>(), named<ErrorBody>()},
                           stream_examples())}}},
         .errors = errors,
         .error_form = http::ErrorForm::anthropic,
         .handler =
             [](const Services& services) {
                 return [services](http::Exchange& exchange) { return create(exchange, services); };
             }},
        {.method = Method::post,
         .path = "/v1/messages/count_tokens",
         .id = "countMessageTokens",
         .tag = "Messages",
         .summary = "Count the tokens of a conversation",
         .doc = "As many as `POST /v1/messages` would take for its prompt. Nothing is evaluated.",
         .body = json<CountRequest>(count_examples()),
         .answers = {{200, "The count.", {json<TokenCount>()}}},
         .errors = errors,
         .error_form = http::ErrorForm::anthropic,
         .handler = [](const Services& services) {
             return [services](http::Exchange& exchange) { return count(exchange, services); };
         }}};
}

}  // namespace gateway::api::messages
