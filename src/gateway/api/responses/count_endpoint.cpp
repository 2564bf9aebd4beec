#include "gateway/api/accepted.hpp"
#include "gateway/api/request_body.hpp"
#include "gateway/api/responses/endpoint.hpp"
#include "gateway/api/responses/history.hpp"
#include "gateway/api/responses/to_job.hpp"
#include "gateway/api/tokens/ask.hpp"
#include "gateway/api/tokens/to_job.hpp"
#include "gateway/api/tokens/types.hpp"

namespace gateway::api::responses {

using http::asio::awaitable;

awaitable<void> count_input_tokens(http::Exchange& exchange, const Services& services) {
    const auto prompt = co_await read_request<Prompt>(exchange);
    if (!prompt)
        co_return;
    const auto history = co_await require(exchange, co_await read_history(exchange, services, *prompt));
    if (!history)
        co_return;
    const Request request{.prompt = *prompt};
    auto accepted = co_await accept_request(exchange, services, {.model = prompt->model},
                                            [&](const auto* facts) { return to_job(request, history->all(), facts); });
    if (!accepted)
        co_return;
    auto& [model, translated] = *accepted;
    const auto result = co_await tokens::ask(
        exchange, services,
        labels_of(model,
                  {.endpoint = "/v1/responses/input_tokens",
                   .to_request_path = [origin = std::move(translated.origin)](
                                          std::string_view job_path) { return origin.to_request_path(job_path); }}),
        tokens::to_tokens_job(std::move(*translated.job.mutable_text()->mutable_chat())));
    if (result)
        co_await exchange.send(
            http::json_response(schema::to_text(tokens::InputTokens{.input_tokens = result->ids_size()})));
}

}  // namespace gateway::api::responses
