#include "gateway/api/messages/endpoint.hpp"

#include "gateway/api/accepted.hpp"
#include "gateway/api/answering.hpp"
#include "gateway/api/identity.hpp"
#include "gateway/api/messages/render.hpp"
#include "gateway/api/messages/to_job.hpp"
#include "gateway/api/request_body.hpp"
#include "gateway/api/tokens/ask.hpp"
#include "gateway/api/tokens/to_job.hpp"

namespace gateway::api::messages {
namespace {

using http::asio::awaitable;

awaitable<void> answer_whole(http::Exchange& exchange, JobRun& run, Collector collector) {
    while (auto event = co_await next_event(exchange, run))
        collector.add(*event);
    if (run.events().end() == http::Wait::closed)
        co_await exchange.send(http::json_response(schema::to_text(collector.answer())));
}

awaitable<void> answer_stream(http::Exchange& exchange, JobRun& run, EventWriter events) {
    EventStream stream(exchange, run);
    if (!co_await stream.start())
        co_return;
    while (auto event = co_await stream.next())
        for (const StreamEvent& told : events.add(*event))
            if (!co_await stream.writer().named(name_of(told), schema::write_json(schema::to_json(told))))
                co_return;
    if (stream.complete())
        co_await stream.finish();
}

}  // namespace

awaitable<void> create(http::Exchange& exchange, const Services& services) {
    auto request = co_await read_request<Request>(exchange);
    if (!request)
        co_return;
    auto accepted = co_await accept_request(exchange, services,
                                            {.model = request->conversation.model, .adapters = request->adapters},
                                            [&](const auto* facts) { return to_job(*request, facts); });
    if (!accepted)
        co_return;
    auto& [model, job] = *accepted;
    const Asked asked{.id = new_id("msg_"),
                      .model = model.id(),
                      .max_tokens = job.text().max_tokens(),
                      .stop_sequences = request->stop_sequences.value_or(std::vector<std::string>{}),
                      .keep = asks_to_keep(request->conversation)};
    job.set_id(asked.id);
    const bool streamed = request->stream.value_or(false);
    request.reset();  // the conversation is in the job, and an answer may take minutes

    JobRun run(
        exchange, services,
        labels_of(model, {.endpoint = "/v1/messages", .streamed = streamed, .to_request_path = &to_request_path}),
        std::move(job));
    if (streamed)
        co_await answer_stream(exchange, run, EventWriter(asked));
    else
        co_await answer_whole(exchange, run, Collector(asked));
}

awaitable<void> count(http::Exchange& exchange, const Services& services) {
    const auto request = co_await read_request<CountRequest>(exchange);
    if (!request)
        co_return;
    auto accepted = co_await accept_request(exchange, services, {.model = request->conversation.model},
                                            [&](const auto* facts) -> std::expected<backends::Job, schema::Faults> {
                                                auto chat = to_chat(request->conversation, facts);
                                                if (!chat)
                                                    return std::unexpected(std::move(chat.error()));
                                                return tokens::to_tokens_job(*std::move(chat));
                                            });
    if (!accepted)
        co_return;
    const auto result = co_await tokens::ask(
        exchange, services,
        labels_of(accepted->model, {.endpoint = "/v1/messages/count_tokens", .to_request_path = &to_request_path}),
        std::move(accepted->work));
    if (result)
        co_await exchange.send(http::json_response(schema::to_text(TokenCount{.input_tokens = result->ids_size()})));
}

}  // namespace gateway::api::messages
