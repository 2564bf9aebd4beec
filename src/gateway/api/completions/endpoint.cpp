#include "gateway/api/completions/endpoint.hpp"

#include <fmt/format.h>

#include "gateway/api/accepted.hpp"
#include "gateway/api/answering.hpp"
#include "gateway/api/chat/render.hpp"
#include "gateway/api/completions/render.hpp"
#include "gateway/api/completions/to_job.hpp"
#include "gateway/api/identity.hpp"
#include "gateway/api/request_body.hpp"

namespace gateway::api::completions {
namespace {

using http::asio::awaitable;

Form form_of(const Request& request) {
    return {.prompts = prompts_of(request),
            .generated = generated_of(request),
            .wanted = wanted_of(request),
            .logprobs = request.logprobs.has_value(),
            .include_usage = request.stream_options && request.stream_options->include_usage.value_or(false)};
}

awaitable<void> answer_whole(http::Exchange& exchange, JobRun& run, Stamp stamp, Form form) {
    Collector collector(std::move(stamp), form);
    while (auto event = co_await next_event(exchange, run))
        collector.add(*event);
    if (run.events().end() == http::Wait::closed)
        co_await exchange.send(http::json_response(schema::to_text(collector.completion())));
}

awaitable<void> answer_stream(http::Exchange& exchange, JobRun& run, ChunkWriter chunks) {
    EventStream stream(exchange, run);
    if (!co_await stream.start())
        co_return;
    while (auto event = co_await stream.next())
        for (const Completion& chunk : chunks.add(*event))
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
    auto accepted =
        co_await accept_request(exchange, services, {.model = request->model, .adapters = request->adapters},
                                [&](const auto* facts) { return to_jobs(*request, facts); });
    if (!accepted)
        co_return;
    auto& [model, jobs] = *accepted;
    Stamp stamp{.id = new_id("cmpl-"),
                .created = unix_time(),
                .model = model.id(),
                .system_fingerprint = chat::system_fingerprint(model)};
    for (std::size_t i = 0; i < jobs.size(); ++i)
        jobs[i].set_id(jobs.size() == 1 ? stamp.id : fmt::format("{}-{}", stamp.id, i));
    const Form form = form_of(*request);
    auto path_of = [format = format_path_of(*request)](std::string_view path) { return to_request_path(path, format); };
    const bool streamed = request->stream.value_or(false);
    request.reset();  // the prompts are in the jobs, and an answer may take minutes

    JobRun run(
        exchange, services,
        labels_of(model, {.endpoint = "/v1/completions", .streamed = streamed, .to_request_path = std::move(path_of)}),
        std::move(jobs), model.facts ? model.facts->text().slots() : 1);
    if (streamed)
        co_await answer_stream(exchange, run, ChunkWriter(std::move(stamp), form));
    else
        co_await answer_whole(exchange, run, std::move(stamp), form);
}

}  // namespace gateway::api::completions
