#include "gateway/api/chat/endpoint.hpp"

#include "gateway/api/accepted.hpp"
#include "gateway/api/answering.hpp"
#include "gateway/api/chat/kept.hpp"
#include "gateway/api/chat/kept_endpoint.hpp"
#include "gateway/api/chat/render.hpp"
#include "gateway/api/chat/to_job.hpp"
#include "gateway/api/identity.hpp"
#include "gateway/api/request_body.hpp"

namespace gateway::api::chat {
namespace {

using http::asio::awaitable;

Stamp make_stamp(const Request& request, const NamedModel& model) {
    const auto tier = request.service_tier.value_or(ServiceTier::automatic);
    const bool fast = tier == ServiceTier::priority || tier == ServiceTier::fast;
    return {.id = new_id("chatcmpl-"),
            .created = unix_time(),
            .model = model.id(),
            .service_tier = fast                        ? "priority"
                            : tier == ServiceTier::flex ? "flex"
                                                        : "default",
            .system_fingerprint = system_fingerprint(model),
            .metadata = request.store.value_or(false) ? request.metadata.value_or(Metadata{}) : request.metadata};
}

/// What is to be kept of the answer, when it is to be kept.
std::optional<store::Entry> make_entry(const http::Request& asked, const Services& services, const Request& request,
                                       const Stamp& stamp) {
    if (!request.store.value_or(false))
        return std::nullopt;
    return to_entry({.kind = store::Kind::chat_completion, .owner = services.keeping.owner(asked), .id = stamp.id},
                    stamp.created, stamp.model, request);
}

AnswerForm answer_form(const Request& request) {
    const auto options = request.stream_options.value_or(StreamOptions{});
    return {.include_usage = options.include_usage.value_or(false),
            .obfuscate = options.include_obfuscation.value_or(false),
            .reasoning = request.include_reasoning.value_or(true),
            .logprobs = request.logprobs.value_or(false)};
}

std::string format_path(const Request& request) {
    const auto forms = forms_of(request.form);
    return forms.empty() ? "response_format" : forms.front().path;
}

awaitable<void> answer_whole(http::Exchange& exchange, const Services& services, JobRun& run, Collector collector,
                             std::optional<store::Entry> entry) {
    while (auto event = co_await next_event(exchange, run))
        collector.add(*event);
    if (run.events().end() != http::Wait::closed)
        co_return;
    const Completion completion = collector.completion();
    if (entry)
        co_await keep(services, *std::move(entry), completion);
    co_await exchange.send(http::json_response(schema::to_text(completion)));
}

/// `collector` is for what is kept.
awaitable<void> answer_stream(http::Exchange& exchange, const Services& services, JobRun& run, ChunkWriter chunks,
                              Collector collector, std::optional<store::Entry> entry) {
    const base::TimePoint start = services.clock.now();
    EventStream stream(exchange, run);
    if (!co_await stream.start())
        co_return;
    while (auto event = co_await stream.next()) {
        if (entry)
            collector.add(*event);
        for (const Chunk& chunk : chunks.add(*event, services.clock.now() - start))
            if (!co_await stream.writer().data(schema::to_text(chunk)))
                co_return;
    }
    if (!stream.complete())
        co_return;
    if (entry)
        co_await keep(services, *std::move(entry), collector.completion());
    co_await stream.writer().data("[DONE]");
    co_await stream.finish();
}

}  // namespace

awaitable<void> complete(http::Exchange& exchange, const Services& services) {
    auto request = co_await read_request<Request>(exchange);
    if (!request)
        co_return;
    if (request->store.value_or(false) && services.keeping.store == nullptr) {
        co_await exchange.send_error({.code = base::ErrorCode::invalid,
                                      .message = "store cannot be true: this server keeps no answers.",
                                      .param = "store",
                                      .retry_after = {}});
        co_return;
    }
    auto accepted =
        co_await accept_request(exchange, services, {.model = request->model, .adapters = request->adapters},
                                [&](const auto* facts) { return to_job(*request, facts); });
    if (!accepted)
        co_return;
    auto& [model, job] = *accepted;
    Stamp stamp = make_stamp(*request, model);
    job.set_id(stamp.id);
    if (!request->cache_prompt.value_or(true))
        job.set_cache_salt(stamp.id);  // which no other job has
    const std::size_t choices = job.text().choices();
    const bool streamed = request->stream.value_or(false);
    const AnswerForm form = answer_form(*request);
    std::optional<store::Entry> entry = make_entry(exchange.request(), services, *request, stamp);
    auto path_of = [format = format_path(*request)](std::string_view path) { return to_request_path(path, format); };
    request.reset();  // the conversation is in the job, and an answer may take minutes

    JobRun run(
        exchange, services,
        labels_of(model,
                  {.endpoint = "/v1/chat/completions", .streamed = streamed, .to_request_path = std::move(path_of)}),
        std::move(job));
    Collector collector(stamp, form, choices);
    if (streamed)
        co_await answer_stream(exchange, services, run, ChunkWriter(std::move(stamp), form), std::move(collector),
                               std::move(entry));
    else
        co_await answer_whole(exchange, services, run, std::move(collector), std::move(entry));
}

}  // namespace gateway::api::chat
