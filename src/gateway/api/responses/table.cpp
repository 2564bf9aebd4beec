#include "gateway/api/responses/table.hpp"

#include "gateway/api/query.hpp"
#include "gateway/api/responses/endpoint.hpp"
#include "gateway/api/responses/events.hpp"
#include "gateway/api/responses/examples.hpp"
#include "gateway/api/tokens/types.hpp"

namespace gateway::api::responses {
namespace {

using http::Method;

constexpr const char* tag = "Responses";
/// What can be wrong with any request that carries a job.
const std::vector<int> job_errors{400, 401, 404, 408, 413, 415, 429, 500, 503, 504};
const std::vector<int> lookup_errors{400, 401, 404, 429, 500};

using Answering = http::asio::awaitable<void> (*)(http::Exchange&, const Services&);

std::function<http::Handler(const Services&)> handled_by(Answering answer) {
    return [answer](const Services& services) {
        return [answer, services](http::Exchange& exchange) { return answer(exchange, services); };
    };
}

api::Content events() {
    return event_stream(
        "ResponseStreamEvent",
        "The event's name is the `type` in its data. After `response.created` each item of the output is added, grows, "
        "and is done; the last event is `response.completed`, `response.incomplete` or `response.failed`.",
        {named<ResponseEvent>({"response.created", "response.queued", "response.in_progress", "response.completed",
                               "response.incomplete", "response.failed"}),
         named<ItemEvent>({"response.output_item.added", "response.output_item.done"}),
         named<PartEvent>({"response.content_part.added", "response.content_part.done"}), named<TextDelta>(),
         named<TextDone>(), named<ReasoningDelta>(), named<ReasoningDone>(), named<ArgumentsDelta>(),
         named<ArgumentsDone>()},
        stream_examples());
}

}  // namespace

std::vector<Endpoint> make_endpoints() {
    return {
        {.method = Method::post,
         .path = "/v1/responses",
         .id = "createResponse",
         .tag = tag,
         .summary = "Continue a conversation that the server may keep",
         .doc = "Takes OpenAI's request for models that run here: messages, function calls with their outputs, "
                "reasoning, and references to items that are kept. `previous_response_id` goes on from a kept "
                "response: the model sees the whole conversation, and what it has evaluated is not evaluated again. "
                "Tools that OpenAI runs on its own servers, prompt templates and `conversation` are refused by name; "
                "fields that had no effect are listed in the header `x-ignored-fields`. The settings of the sampling "
                "that chat has are here too.\n\n"
                "With `stream` the answer is a stream of server-sent events. What is refused before the first piece "
                "has its own status; a fault after that is the event `response.failed`. With `background` the answer "
                "comes at once, and the response is made whether or not somebody waits for it.",
         .body = json<Request>(create_examples()),
         .answers = {{200, "The response, or with `stream` its events.", {json<Response>(), events()}}},
         .errors = job_errors,
         .handler = handled_by(&create)},
        {.method = Method::post,
         .path = "/v1/responses/input_tokens",
         .id = "countResponseInputTokens",
         .tag = tag,
         .summary = "Count the tokens of a prompt",
         .doc = "Of the whole conversation, as the model would see it. Nothing is evaluated.",
         .body = json<Prompt>(count_examples()),
         .answers = {{200, "The number.", {json<tokens::InputTokens>()}}},
         .errors = job_errors,
         .handler = handled_by(&count_input_tokens)},
        {.method = Method::get,
         .path = "/v1/responses/{response_id}",
         .id = "getResponse",
         .tag = tag,
         .summary = "Show a kept response",
         .doc = "One that was made with `background` and `stream` can be followed, also from the middle: "
                "`stream=true&starting_after=NUMBER`.",
         .query = query_of<RetrieveQuery>(),
         .answers = {{200, "The response, or with `stream` its events.", {json<Response>(), events()}}},
         .errors = lookup_errors,
         .handler = handled_by(&retrieve)},
        {.method = Method::delete_,
         .path = "/v1/responses/{response_id}",
         .id = "deleteResponse",
         .tag = tag,
         .summary = "Delete a kept response",
         .doc = "One that is still made is cancelled. What goes on from it can no longer be continued.",
         .answers = {{200, "It is gone.", {json<Deleted>()}}},
         .errors = lookup_errors,
         .handler = handled_by(&remove)},
        {.method = Method::post,
         .path = "/v1/responses/{response_id}/cancel",
         .id = "cancelResponse",
         .tag = tag,
         .summary = "Cancel a response that is made in the background",
         .doc = "One that has ended stays as it is.",
         .answers = {{200, "The response.", {json<Response>()}}},
         .errors = lookup_errors,
         .handler = handled_by(&cancel)},
        {.method = Method::get,
         .path = "/v1/responses/{response_id}/input_items",
         .id = "listInputItems",
         .tag = tag,
         .summary = "List what a kept response was asked with",
         .doc = "Without what came before it in the conversation.",
         .query = query_of<InputItemsQuery>(),
         .answers = {{200, "The items.", {json<ItemList>()}}},
         .errors = lookup_errors,
         .handler = handled_by(&list_input_items)},
    };
}

}  // namespace gateway::api::responses
