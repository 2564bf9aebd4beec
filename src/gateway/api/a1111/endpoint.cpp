#include "gateway/api/a1111/endpoint.hpp"

#include "gateway/api/a1111/render.hpp"
#include "gateway/api/a1111/to_request.hpp"
#include "gateway/api/answering.hpp"
#include "gateway/api/failure.hpp"
#include "gateway/api/identity.hpp"
#include "gateway/api/images/to_job.hpp"
#include "gateway/api/request_body.hpp"

namespace gateway::api::a1111 {
namespace {

namespace contract = llm_gateway::engine::v1;
using http::asio::awaitable;

std::string worker_path_to_a1111(std::string_view job_path) {
    return to_a1111_path(images::to_request_path(job_path));
}

base::Result<NamedModel> in_its_words(base::Result<NamedModel> model) {
    if (!model)
        model.error().param = to_a1111_path(model.error().param);
    return model;
}

std::expected<backends::Job, schema::Faults> in_its_words(std::expected<backends::Job, schema::Faults> job) {
    if (!job)
        for (schema::Fault& fault : job.error())
            fault.path = to_a1111_path(fault.path);
    return job;
}

/// Ends with the pictures of the whole job, or with those that there were when it was interrupted.
awaitable<std::optional<std::vector<Pictures::Picture>>> draw(http::Exchange& exchange, JobRun& run) {
    Pictures pictures;
    while (auto event = co_await run.events().next(exchange.request().deadline)) {
        pictures.add(*event);
        if (!event->has_failed())
            continue;
        if (event->failed().code() == contract::CANCELLED)
            co_return pictures.take(true);
        co_await exchange.send_error(run.to_error(event->failed()));
        co_return std::nullopt;
    }
    if (run.events().end() == http::Wait::timed_out)
        co_await exchange.send_error(deadline_error());
    if (run.events().end() != http::Wait::closed)
        co_return std::nullopt;
    co_return pictures.take(false);
}

awaitable<void> answer(http::Exchange& exchange, const Services& services, Img2ImgRequest request,
                       std::optional<images::Hires> hires, std::string_view endpoint) {
    auto translated =
        co_await require(exchange, to_images_request(request, services.a1111_choices.of(exchange.request().caller)));
    if (!translated)
        co_return;
    translated->options.hires = std::move(hires);
    const auto model = co_await require(
        exchange, in_its_words(find_model(services.catalogue, translated->options.model, backends::ModelKind::image)));
    if (!model)
        co_return;
    auto job =
        co_await require(exchange, in_its_words(images::to_job(*translated, model->facts ? &*model->facts : nullptr)));
    if (!job)
        co_return;
    job->set_id(new_id("img-"));
    contract::ImageJob settings = job->image();
    settings.clear_init_image();  // megabytes
    settings.clear_mask();
    JobRun run(exchange, services, labels_of(*model, {.endpoint = endpoint, .to_request_path = &worker_path_to_a1111}),
               *std::move(job));
    const auto pictures = co_await draw(exchange, run);
    if (!pictures)
        co_return;
    const auto* facts = model->facts && model->facts->has_image() ? &model->facts->image() : nullptr;
    const schema::Value parameters = schema::to_json(request.drawing);
    co_await exchange.send(http::json_response(schema::to_text(
        to_answer(*pictures, settings, model->name, facts, parameters, request.drawing.send_images.value_or(true)))));
}

}  // namespace

awaitable<void> txt2img(http::Exchange& exchange, const Services& services) {
    auto request = co_await read_request<Txt2ImgRequest>(exchange);
    if (!request)
        co_return;
    auto hires = to_hires(*request);
    co_await answer(exchange, services, {.drawing = std::move(request->drawing)}, std::move(hires),
                    "/sdapi/v1/txt2img");
}

awaitable<void> img2img(http::Exchange& exchange, const Services& services) {
    auto request = co_await read_request<Img2ImgRequest>(exchange);
    if (request)
        co_await answer(exchange, services, *std::move(request), std::nullopt, "/sdapi/v1/img2img");
}

}  // namespace gateway::api::a1111
