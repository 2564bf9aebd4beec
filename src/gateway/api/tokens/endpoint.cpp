#include "gateway/api/tokens/endpoint.hpp"

#include "gateway/api/accepted.hpp"
#include "gateway/api/chat/to_job.hpp"
#include "gateway/api/request_body.hpp"
#include "gateway/api/tokens/ask.hpp"
#include "gateway/api/tokens/render.hpp"
#include "gateway/api/tokens/to_job.hpp"

namespace gateway::api::tokens {
namespace {

namespace contract = llm_gateway::engine::v1;
using http::asio::awaitable;

/// The tokens of the prompt that a request of chat becomes.
awaitable<std::optional<contract::TokensResult>> ask_about_chat(http::Exchange& exchange, const Services& services,
                                                                std::string_view endpoint) {
    const auto request = co_await read_request<chat::Request>(exchange);
    if (!request)
        co_return std::nullopt;
    auto accepted =
        co_await accept_request(exchange, services, {.model = request->model, .adapters = request->adapters},
                                [&](const auto* facts) { return chat::to_job(*request, facts); });
    if (!accepted)
        co_return std::nullopt;
    co_return co_await ask(exchange, services,
                           labels_of(accepted->model, {.endpoint = endpoint, .to_request_path = &to_tokenize_path}),
                           to_tokens_job(std::move(*accepted->work.mutable_text()->mutable_chat())));
}

}  // namespace

awaitable<void> tokenize(http::Exchange& exchange, const Services& services) {
    const auto request = co_await read_request<TokenizeRequest>(exchange);
    if (!request)
        co_return;
    auto accepted = co_await accept_request(exchange, services, {.model = request->model},
                                            [&](const auto* facts) { return to_job(*request, facts); });
    if (!accepted)
        co_return;
    auto& [model, job] = *accepted;
    const auto result =
        co_await ask(exchange, services,
                     labels_of(model, {.endpoint = "/tokenize", .to_request_path = &to_tokenize_path}), std::move(job));
    if (!result)
        co_return;
    const Form form{.pieces = request->with_pieces.value_or(false),
                    .strings = request->return_token_strs.value_or(false),
                    .max_model_len = model.facts ? model.facts->text().context_tokens() : 0};
    co_await exchange.send(http::json_response(schema::to_text(to_response(*result, form))));
}

awaitable<void> detokenize(http::Exchange& exchange, const Services& services) {
    const auto request = co_await read_request<DetokenizeRequest>(exchange);
    if (!request)
        co_return;
    auto accepted = co_await accept_request(
        exchange, services, {.model = request->model},
        [&](const auto*) -> std::expected<backends::Job, schema::Faults> { return to_job(*request); });
    if (!accepted)
        co_return;
    const auto result =
        co_await ask(exchange, services,
                     labels_of(accepted->model, {.endpoint = "/detokenize", .to_request_path = &to_detokenize_path}),
                     std::move(accepted->work));
    if (result)
        co_await exchange.send(http::json_response(
            schema::to_text(DetokenizeResponse{.content = result->text(), .prompt = result->text()})));
}

awaitable<void> apply_template(http::Exchange& exchange, const Services& services) {
    if (const auto result = co_await ask_about_chat(exchange, services, "/apply-template"))
        co_await exchange.send(http::json_response(schema::to_text(TemplateResponse{.prompt = result->text()})));
}

awaitable<void> count_chat(http::Exchange& exchange, const Services& services) {
    if (const auto result = co_await ask_about_chat(exchange, services, "/v1/chat/completions/input_tokens"))
        co_await exchange.send(http::json_response(schema::to_text(InputTokens{.input_tokens = result->ids_size()})));
}

}  // namespace gateway::api::tokens
