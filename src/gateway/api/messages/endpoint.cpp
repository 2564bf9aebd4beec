#include "gateway/api/messages/endpoint.hpp"

#include "gateway/api/answering.hpp"
#include "gateway/api/failure.hpp"
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
    const auto model = find_model(services.catalogue, request->conversation.model, backends::ModelKind::text);
    if (!model) {
        co_await exchange.send_error(model.error());
        co_return;
    }
    auto job = to_job(*request, model->facts ? &*model->facts : nullptr);
    if (!job) {
        co_await exchange.send_errors(to_errors(job.error()));
        co_return;
    }
    auto adapters = adapters_of(*model, request->adapters);
    if (!adapters) {
        co_await exchange.send_errors(to_errors(adapters.error()));
        co_return;
    }
    *job->mutable_text()->mutable_adapters() = *std::move(adapters);
    const Asked asked{.id = new_id("msg_"),
                      .model = model->id(),
                      .max_tokens = job->text().max_tokens(),
                      .stop_sequences = request->stop_sequences.value_or(std::vector<std::string>{}),
                      .keep = asks_to_keep(request->conversation)};
    job->set_id(asked.id);
    const bool streamed = request->stream.value_or(false);
    request.reset();  // the conversation is in the job, and an answer may take minutes

    JobRun run(exchange, services,
               {.model = model->name,
                .endpoint = "/v1/messages",
                .streamed = streamed,
                .to_request_path = &to_request_path,
                .with_adapter = model->adapter ? model->id() : ""},
               *std::move(job));
    if (streamed)
        co_await answer_stream(exchange, run, EventWriter(asked));
    else
        co_await answer_whole(exchange, run, Collector(asked));
}

awaitable<void> count(http::Exchange& exchange, const Services& services) {
    const auto request = co_await read_request<CountRequest>(exchange);
    if (!request)
        co_return;
    const auto model = find_model(services.catalogue, request->conversation.model, backends::ModelKind::text);
    if (!model) {
        co_await exchange.send_error(model.error());
        co_return;
    }
    auto chat = to_chat(request->conversation, model->facts ? &*model->facts : nullptr);
    if (!chat) {
        co_await exchange.send_errors(to_errors(chat.error()));
        co_return;
    }
    const auto result = co_await tokens::ask(exchange, services,
                                             {.model = model->name,
                                              .endpoint = "/v1/messages/count_tokens",
                                              .streamed = false,
                                              .to_request_path = &to_request_path},
                                             tokens::to_tokens_job(*std::move(chat)));
    if (result)
        co_await exchange.send(http::json_response(schema::to_text(TokenCount{.input_tokens = result->ids_size()})));
}

}  // namespace gateway::api::messages
