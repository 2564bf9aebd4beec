#include "gateway/api/endpoints.hpp"

#include "gateway/api/a1111/table.hpp"
#include "gateway/api/chat/answer.hpp"
#include "gateway/api/chat/endpoint.hpp"
#include "gateway/api/chat/kept_table.hpp"
#include "gateway/api/chat/types.hpp"
#include "gateway/api/completions/answer.hpp"
#include "gateway/api/completions/endpoint.hpp"
#include "gateway/api/completions/types.hpp"
#include "gateway/api/docs/endpoint.hpp"
#include "gateway/api/embeddings/endpoint.hpp"
#include "gateway/api/embeddings/types.hpp"
#include "gateway/api/endpoint.hpp"
#include "gateway/api/error_body.hpp"
#include "gateway/api/examples.hpp"
#include "gateway/api/health/endpoint.hpp"
#include "gateway/api/health/types.hpp"
#include "gateway/api/images/endpoint.hpp"
#include "gateway/api/images/job_endpoint.hpp"
#include "gateway/api/images/table.hpp"
#include "gateway/api/images/types.hpp"
#include "gateway/api/messages/table.hpp"
#include "gateway/api/models/endpoint.hpp"
#include "gateway/api/models/types.hpp"
#include "gateway/api/rerank/endpoint.hpp"
#include "gateway/api/rerank/types.hpp"
#include "gateway/api/responses/table.hpp"
#include "gateway/api/tokens/endpoint.hpp"
#include "gateway/api/tokens/types.hpp"

#include <algorithm>
#include <string_view>

namespace gateway::api {
namespace {

using http::Access;
using http::Method;

/// What can be wrong with any request that carries a job.
const std::vector<int> job_errors{400, 401, 404, 408, 413, 415, 429, 500, 503, 504};
/// The same with a job that somebody may cancel.
const std::vector<int> drawing_errors{400, 401, 404, 408, 413, 415, 429, 499, 500, 503, 504};

Content text(std::string media_type) {
    return {.media_type = std::move(media_type)};
}

template <auto answer>
std::function<http::Handler(const Services&)> answered_by() {
    return [](const Services& services) -> http::Handler {
        return [services](http::Exchange& exchange) { return answer(exchange, services); };
    };
}

Endpoint rerank_at(std::string path, std::string id) {
    return {.method = Method::post,
            .path = std::move(path),
            .id = std::move(id),
            .tag = "Embeddings",
            .summary = "Order documents by how well they answer a query",
            .doc = "For rerankers. Takes the requests of Jina, Cohere and llama.cpp.",
            .body = json<rerank::Request>(rerank_examples()),
            .answers = {{200, "The documents, the best first.", {json<rerank::Response>()}}},
            .errors = job_errors,
            .handler = answered_by<&rerank::rank>()};
}

std::vector<Endpoint> make_endpoints() {
    return {
        {.method = Method::post,
         .path = "/v1/chat/completions",
         .id = "createChatCompletion",
         .tag = "Chat",
         .summary = "Continue a conversation",
         .doc = "Takes OpenAI's request with the extensions of llama.cpp and vLLM. Fields that had no effect are "
                "listed in the "
                "header `x-ignored-fields`; what would change the answer and cannot be done is refused by name.\n\n"
                "With `stream` the answer is a stream of server-sent events. What is refused before the first piece of "
                "text "
                "has its own status; a fault after that is one event `data: {\"error\": ...}`, and the stream ends "
                "without "
                "`[DONE]`. Comments keep the connection alive while the request waits.",
         .body = json<chat::Request>(chat_examples()),
         .answers = {{200,
                      "The answer, or with `stream` its pieces.",
                      {json<chat::Completion>(),
                       event_stream("ChatCompletionStreamEvent",
                                    "One chunk in the data of each event; the last data is `[DONE]`. A fault is an "
                                    "error instead of both.",
                                    {unnamed<chat::Chunk>(), unnamed<ErrorBody>(), done()}, chat_stream_examples())}}},
         .errors = job_errors,
         .handler =
             [](const Services& services) {
                 return [services](http::Exchange& exchange) { return chat::complete(exchange, services); };
             }},
        {.method = Method::post,
         .path = "/v1/completions",
         .id = "createCompletion",
         .tag = "Completions",
         .summary = "Continue a text",
         .doc =
             "Takes OpenAI's older request with the extensions that chat has. Several prompts run side by side; their "
             "answers are numbered in the order of the prompts. Streams begin and fail as those of chat.",
         .body = json<completions::Request>(completion_examples()),
         .answers = {{200,
                      "The answers, or with `stream` their pieces.",
                      {json<completions::Completion>(),
                       event_stream("CompletionStreamEvent",
                                    "What is new in the data of each event; the last data is `[DONE]`. A fault is an "
                                    "error instead of both.",
                                    {unnamed<completions::Completion>(), unnamed<ErrorBody>(), done()},
                                    completion_stream_examples())}}},
         .errors = job_errors,
         .handler = answered_by<&completions::complete>()},
        {.method = Method::post,
         .path = "/v1/embeddings",
         .id = "createEmbedding",
         .tag = "Embeddings",
         .summary = "Turn texts into vectors",
         .doc = "For models that give embeddings. The vectors have length 1.",
         .body = json<embeddings::Request>(embedding_examples()),
         .answers = {{200, "The vectors.", {json<embeddings::Response>()}}},
         .errors = job_errors,
         .handler = answered_by<&embeddings::embed>()},
        rerank_at("/v1/rerank", "rerank"),
        rerank_at("/rerank", "rerankUnversioned"),
        {.method = Method::post,
         .path = "/v1/chat/completions/input_tokens",
         .id = "countChatTokens",
         .tag = "Tokens",
         .summary = "Count the tokens of a conversation",
         .doc = "Takes a request of chat and evaluates nothing.",
         .body = json<chat::Request>(chat_examples()),
         .answers = {{200, "How many.", {json<tokens::InputTokens>()}}},
         .errors = job_errors,
         .handler = answered_by<&tokens::count_chat>()},
        {.method = Method::post,
         .path = "/tokenize",
         .id = "tokenize",
         .tag = "Tokens",
         .summary = "Turn text into tokens",
         .doc = "Takes the requests of llama.cpp and of vLLM.",
         .body = json<tokens::TokenizeRequest>(tokenize_examples()),
         .answers = {{200, "The tokens.", {json<tokens::TokenizeResponse>()}}},
         .errors = job_errors,
         .handler = answered_by<&tokens::tokenize>()},
        {.method = Method::post,
         .path = "/detokenize",
         .id = "detokenize",
         .tag = "Tokens",
         .summary = "Turn tokens into text",
         .body = json<tokens::DetokenizeRequest>(detokenize_examples()),
         .answers = {{200, "The text.", {json<tokens::DetokenizeResponse>()}}},
         .errors = job_errors,
         .handler = answered_by<&tokens::detokenize>()},
        {.method = Method::post,
         .path = "/apply-template",
         .id = "applyTemplate",
         .tag = "Tokens",
         .summary = "Show a conversation as the model sees it",
         .doc = "Takes a request of chat and evaluates nothing.",
         .body = json<chat::Request>(chat_examples()),
         .answers = {{200, "The text.", {json<tokens::TemplateResponse>()}}},
         .errors = job_errors,
         .handler = answered_by<&tokens::apply_template>()},
        {.method = Method::post,
         .path = "/v1/images/generations",
         .id = "createImage",
         .tag = "Images",
         .summary = "Draw pictures",
         .doc =
             "Takes OpenAI's request with the usual settings of diffusion models as extensions. The size is exactly "
             "the one "
             "asked for, or the request is refused. With `stream` the answer is a stream of server-sent events, which "
             "begins and fails as that of chat does.",
         .body = json<images::Request>(image_examples()),
         .draws = true,
         .answers = {{200,
                      "The pictures, or with `stream` the events on the way to them.",
                      {json<images::Response>(),
                       event_stream("ImageStreamEvent",
                                    "The event's name is the `type` in its data. One `image_generation.completed` for "
                                    "each picture. A fault is an error without a name, and the last event.",
                                    {named<images::PartialImage>(), named<images::Completed>(), named<images::Queued>(),
                                     named<images::Progress>(), unnamed<ErrorBody>()},
                                    image_stream_examples())}}},
         .errors = drawing_errors,
         .handler =
             [](const Services& services) {
                 return [services](http::Exchange& exchange) { return images::generate(exchange, services); };
             }},
        {.method = Method::get,
         .path = "/v1/models",
         .id = "listModels",
         .tag = "Models",
         .summary = "List the models",
         .answers = {{200, "All models.", {json<models::ModelList>()}}},
         .errors = {401},
         .handler =
             [](const Services& services) {
                 return http::answer_with(
                     [&catalogue = services.catalogue](const http::Request&) { return models::list(catalogue); });
             }},
        {.method = Method::get,
         .path = "/v1/models/{model...}",
         .id = "retrieveModel",
         .tag = "Models",
         .summary = "Show a model",
         .answers = {{200, "The model.", {json<models::Model>()}}},
         .errors = {401, 404},
         .handler =
             [](const Services& services) {
                 return http::answer_with([&catalogue = services.catalogue](const http::Request& request) {
                     return models::show(catalogue, request);
                 });
             }},
        {.method = Method::get,
         .path = "/health/live",
         .id = "live",
         .tag = "Operations",
         .summary = "Whether the gateway answers",
         .access = Access::open,
         .answers = {{200, "It does.", {json<health::Live>()}}},
         .handler =
             [](const Services&) { return http::answer_with([](const http::Request&) { return health::live(); }); }},
        {.method = Method::get,
         .path = "/health/ready",
         .id = "ready",
         .tag = "Operations",
         .summary = "Whether every model takes requests",
         .access = Access::open,
         .answers = {{200, "All do.", {json<health::Ready>()}}, {503, "Some do not.", {json<health::Ready>()}}},
         .handler =
             [](const Services& services) {
                 return http::answer_with(
                     [&catalogue = services.catalogue](const http::Request&) { return health::ready(catalogue); });
             }},
        {.method = Method::get,
         .path = "/metrics",
         .id = "metrics",
         .tag = "Operations",
         .summary = "Metrics for Prometheus",
         .access = Access::open,
         .answers = {{200, "The text exposition format.", {text("text/plain")}}},
         .handler =
             [](const Services& services) {
                 return http::answer_with([metrics = services.metrics](const http::Request&) {
                     return http::text_response(metrics(), "text/plain; version=0.0.4; charset=utf-8");
                 });
             }},
        {.method = Method::get,
         .path = "/version",
         .id = "version",
         .tag = "Operations",
         .summary = "What runs here",
         .access = Access::open,
         .answers = {{200, "Versions.", {json<health::Version>()}}},
         .handler =
             [](const Services& services) {
                 return http::answer_with(
                     [engines = services.engine_versions](const http::Request&) { return health::version(engines); });
             }},
        {.method = Method::get,
         .path = "/openapi.json",
         .id = "openapi",
         .tag = "Documentation",
         .summary = "This document",
         .access = Access::open,
         .answers = {{200,
                      "OpenAPI 3.2.",
                      {Content{
                          .schema = [](schema::Components&) { return boost::json::object{{"type", "object"}}; }}}}},
         .handler =
             [](const Services&) {
                 return http::answer_with([](const http::Request&) { return http::json_response(openapi_document()); });
             }},
        {.method = Method::get,
         .path = "/docs",
         .id = "docs",
         .tag = "Documentation",
         .summary = "This document to click through",
         .access = Access::open,
         .answers = {{200, "Swagger UI.", {text("text/html")}}},
         .handler = [](const Services&) { return http::answer_with(&docs::page); }},
        {.method = Method::get,
         .path = "/docs/{file}",
         .id = "docsFile",
         .tag = "Documentation",
         .summary = "What that page loads",
         .access = Access::open,
         .answers = {{200,
                      "The file.",
                      {text("text/javascript"), text("text/css"), text("image/png"), text("text/html")}}},
         .errors = {404},
         .handler = [](const Services&) { return http::answer_with(&docs::file); }},
        {.method = Method::get,
         .path = "/",
         .id = "root",
         .tag = "Documentation",
         .summary = "Leads to /docs",
         .access = Access::open,
         .answers = {{307, "To the documentation."}},
         .handler =
             [](const Services&) { return http::answer_with([](const http::Request&) { return docs::to_page(); }); }},
    };
}

/// Its path, and what clients of llama-server and vLLM know it by: without `/v1`, unless that is documented by itself, and
/// `/health`.
std::vector<std::string> paths_of(const Endpoint& endpoint) {
    constexpr std::string_view version = "/v1";
    std::vector<std::string> paths{endpoint.path};
    if (endpoint.path == "/health/ready")
        paths.emplace_back("/health");
    if (endpoint.path.starts_with("/v1/")) {
        const std::string bare = endpoint.path.substr(version.size());
        if (std::ranges::find(endpoints(), bare, &Endpoint::path) == endpoints().end())
            paths.push_back(bare);
    }
    return paths;
}

/// Of its bodies.
std::vector<std::string> media_types(const Endpoint& endpoint) {
    std::vector<std::string> types;
    if (endpoint.body)
        types.push_back(endpoint.body->media_type);
    for (const Content& other : endpoint.other_bodies)
        types.push_back(other.media_type);
    return types;
}

}  // namespace

std::span<const Endpoint> endpoints() {
    static const std::vector<Endpoint> table = [] {
        std::vector<Endpoint> rows = make_endpoints();
        for (std::vector<Endpoint> more :
             {a1111::make_endpoints(), images::make_job_endpoints(), messages::make_endpoints(),
              responses::make_endpoints(), chat::make_kept_endpoints(), images::make_picture_endpoints()})
            rows.insert(rows.begin() + 1, std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
        return rows;
    }();
    return table;
}

std::vector<http::Route> routes(const Services& services) {
    std::vector<http::Route> list;
    for (const Endpoint& endpoint : endpoints())
        for (std::string& path : paths_of(endpoint))
            list.push_back({.method = endpoint.method,
                            .pattern = std::move(path),
                            .handler = endpoint.handler(services),
                            .access = endpoint.access,
                            .consumes = media_types(endpoint),
                            .body_limit_bytes = {},
                            .deadline = {},
                            .error_form = endpoint.error_form});
    return list;
}

}  // namespace gateway::api
