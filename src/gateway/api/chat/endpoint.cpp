#include "gateway/api/chat/endpoint.hpp"

#include "gateway/api/answering.hpp"
#include "gateway/api/chat/render.hpp"
#include "gateway/api/chat/to_job.hpp"
#include "gateway/api/failure.hpp"
#include "gateway/api/identity.hpp"
#include "gateway/api/request_body.hpp"

namespace gateway::api::chat {
namespace {

using http::asio::awaitable;

Stamp make_stamp(const Request& request, const backends::ModelStatus& model) {
    const auto tier = request.service_tier.value_or(ServiceTier::automatic);
    const bool fast = tier == ServiceTier::priority || tier == ServiceTier::fast;
    return {.id = new_id("chatcmpl-"),
            .created = unix_time(),
            .model = model.name.value(),
            .service_tier = fast                        ? "priority"
                            : tier == ServiceTier::flex ? "flex"
                                                        : "default",
            .system_fingerprint = system_fingerprint(model)};
}

awaitable<void> answer_whole(http::Exchange& exchange, JobRun& run, Stamp stamp, std::size_t choices) {
    Collector collector(std::move(stamp), choices);
    while (auto event = co_await next_event(exchange, run))
        collector.add(*event);
    if (run.events().end() == http::Wait::closed)
        co_await exchange.send(http::json_response(schema::to_text(collector.completion())));
}

awaitable<void> answer_stream(http::Exchange& exchange, JobRun& run, ChunkWriter chunks, const base::Clock& clock) {
    const base::TimePoint start = clock.now();
    EventStream stream(exchange, run);
    if (!co_await stream.start())
        co_return;
    while (auto event = co_await stream.next())
        for (const Chunk& chunk : chunks.add(*event, clock.now() - start))
            if (!co_await stream.writer().data(schema::to_text(chunk)))
                co_return;
    if (!stream.complete())
        co_return;
    co_await stream.writer().data("[DONE]");
    co_await stream.finish();
}

}  // namespace

awaitable<void> complete(http::Exchange& exchange, const Services& services) {
    auto request = co_await read_request<Request>(exchange);
    if (!request)
        co_return;
    const auto model = find_model(services.catalogue, request->model, backends::ModelKind::text);
    if (!model) {
        co_await exchange.send_error(model.error());
        co_return;
    }
    auto job = to_job(*request, model->facts ? &*model->facts : nullptr);
    if (!job) {
        co_await exchange.send_errors(to_errors(job.error()));
        co_return;
    }
    Stamp stamp = make_stamp(*request, *model);
    job->set_id(stamp.id);
    const std::size_t choices = job->text().choices();
    const bool streamed = request->stream.value_or(false);
    const bool usage = request->stream_options && request->stream_options->include_usage.value_or(false);
    request.reset();  // the conversation is in the job, and an answer may take minutes

    JobRun run(exchange, services,
               {.model = model->name,
                .endpoint = "/v1/chat/completions",
                .streamed = streamed,
                .to_request_path = &to_request_path},
               *std::move(job));
    if (streamed) {
        co_await answer_stream(exchange, run, ChunkWriter(std::move(stamp), {.include_usage = usage}), services.clock);
    } else {
        co_await answer_whole(exchange, run, std::move(stamp), choices);
    }
}

}  // namespace gateway::api::chat
