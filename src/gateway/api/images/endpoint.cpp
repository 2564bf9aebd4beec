#include "gateway/api/images/endpoint.hpp"

#include "gateway/api/accepted.hpp"
#include "gateway/api/answering.hpp"
#include "gateway/api/identity.hpp"
#include "gateway/api/images/render.hpp"
#include "gateway/api/images/to_job.hpp"
#include "gateway/api/request_body.hpp"
#include "gateway/drawing/image_jobs.hpp"

namespace gateway::api::images {
namespace {

using http::asio::awaitable;

awaitable<void> answer_whole(http::Exchange& exchange, JobRun& run, OutputFormat format, std::size_t pictures) {
    co_await answer_collected(exchange, run, Collector(unix_time(), format, pictures),
                              "The worker delivered fewer pictures than it was asked for.");
}

awaitable<void> answer_stream(http::Exchange& exchange, JobRun& run, StreamForm form) {
    EventStream stream(exchange, run);
    if (!co_await stream.start())
        co_return;
    EventWriter writer(std::move(form));
    for (StreamEvent& sent : writer.begin())
        if (!co_await stream.writer().named(std::move(sent.name), std::move(sent.data)))
            co_return;
    while (auto event = co_await stream.next())
        for (StreamEvent& sent : writer.add(*event))
            if (!co_await stream.writer().named(std::move(sent.name), std::move(sent.data)))
                co_return;
    if (stream.complete())
        co_await stream.finish();
}

}  // namespace

awaitable<void> generate(http::Exchange& exchange, const Services& services) {
    auto request = co_await read_request<Request>(exchange);
    if (!request)
        co_return;
    auto accepted =
        co_await accept_request(exchange, services, {.model = request->model, .kind = backends::ModelKind::image},
                                [&](const auto* facts) { return to_job(*request, facts); });
    if (!accepted)
        co_return;
    auto& [model, job] = *accepted;
    job.set_id(new_id("img-"));
    const std::size_t pictures = job.image().count();
    const OutputFormat format = request->output_format.value_or(OutputFormat::png);
    const bool streamed = request->stream.value_or(false);
    StreamForm form{.created = unix_time(),
                    .format = format,
                    .size = request->size.value_or("auto"),
                    .partial_images = request->partial_images.value_or(0),
                    .progress = request->return_progress.value_or(false),
                    .job = [&services, owner = exchange.request().caller, id = job.id()] {
                        return services.image_jobs.find(owner, id);
                    }};
    request.reset();  // its pictures are in the job, and an answer takes minutes

    JobRun run(
        exchange, services,
        labels_of(model,
                  {.endpoint = "/v1/images/generations", .streamed = streamed, .to_request_path = &to_request_path}),
        std::move(job));
    if (streamed)
        co_await answer_stream(exchange, run, std::move(form));
    else
        co_await answer_whole(exchange, run, format, pictures);
}

}  // namespace gateway::api::images
