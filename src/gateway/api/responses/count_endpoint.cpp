#include "gateway/api/failure.hpp"
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
    const auto model = find_model(services.catalogue, prompt->model, backends::ModelKind::text);
    if (!model) {
        co_await exchange.send_error(model.error());
        co_return;
    }
    const auto history = co_await read_history(exchange, services, *prompt);
    if (!history) {
        co_await exchange.send_error(history.error());
        co_return;
    }
    const Request request{.prompt = *prompt};
    auto translated = to_job(request, history->all(), model->facts ? &*model->facts : nullptr);
    if (!translated) {
        co_await exchange.send_errors(to_errors(translated.error()));
        co_return;
    }
    const auto result = co_await tokens::ask(
        exchange, services,
        {.model = model->name,
         .endpoint = "/v1/responses/input_tokens",
         .streamed = false,
         .to_request_path = [origin = std::move(translated->origin)](
                                std::string_view job_path) { return origin.to_request_path(job_path); }},
        tokens::to_tokens_job(std::move(*translated->job.mutable_text()->mutable_chat())));
    if (result)
        co_await exchange.send(
            http::json_response(schema::to_text(tokens::InputTokens{.input_tokens = result->ids_size()})));
}

}  // namespace gateway::api::responses
