#include "gateway/api/images/endpoint.hpp"

#include "gateway/api/accepted.hpp"
#include "gateway/api/answering.hpp"
#include "gateway/api/form_body.hpp"
#include "gateway/api/identity.hpp"
#include "gateway/api/images/files.hpp"
#include "gateway/api/images/render.hpp"
#include "gateway/api/images/to_job.hpp"
#include "gateway/api/request_body.hpp"
#include "gateway/drawing/image_jobs.hpp"

namespace gateway::api::images {
namespace {

using http::asio::awaitable;

/// What is left of a request when its job is made: how the answer is to look.
struct Form {
    /// A literal.
    std::string_view endpoint;
    std::string (*to_path)(std::string_view job_path) = &to_form_path;
    std::optional<std::string> model;
    Delivery delivery;
    Streaming streaming = {};
    std::string size = "auto";
    StreamForm::Of of = StreamForm::Of::edit;
    Seeds seeds = Seeds::shown;
};

std::string file_extension(OutputFormat format) {
    return std::string(describe(schema::Type<OutputFormat>{}).name(format));
}

awaitable<void> answer_whole(http::Exchange& exchange, const Services& services, JobRun& run, Form form,
                             std::size_t pictures) {
    Collector collector(pictures);
    while (auto event = co_await next_event(exchange, run))
        collector.add(*event);
    if (run.events().end() != http::Wait::closed)
        co_return;
    auto finished = collector.take();
    if (!finished) {
        co_await exchange.send_error({.code = base::ErrorCode::internal,
                                      .message = "The worker delivered fewer pictures than it was asked for.",
                                      .param = {},
                                      .retry_after = {}});
        co_return;
    }
    const OutputFormat format = form.delivery.output_format.value_or(OutputFormat::png);
    std::vector<std::string> addresses;
    if (form.delivery.response_format == ResponseFormat::url)
        for (FinishedPicture& picture : finished->pictures) {
            auto address = co_await require(
                exchange, co_await keep_file(services.picture_files, exchange.request(), std::move(picture.bytes),
                                             std::move(picture.media_type), file_extension(format)));
            if (!address)
                co_return;
            addresses.push_back(*std::move(address));
        }
    co_await exchange.send(http::json_response(
        schema::to_text(to_response(*std::move(finished), addresses, unix_time(), format, form.seeds))));
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

StreamForm to_stream_form(const Form& form) {
    return {.of = form.of,
            .created = unix_time(),
            .format = form.delivery.output_format.value_or(OutputFormat::png),
            .size = form.size,
            .partial_images = form.streaming.partial_images.value_or(0),
            .progress = form.streaming.return_progress.value_or(false)};
}

template <typename Wanted>
awaitable<void> answer(http::Exchange& exchange, const Services& services, Wanted request, Form form) {
    if (form.delivery.response_format == ResponseFormat::url && services.picture_files.store == nullptr) {
        co_await exchange.send_error({.code = base::ErrorCode::invalid,
                                      .message = "response_format: cannot be \"url\": this server keeps no pictures",
                                      .param = "response_format",
                                      .retry_after = {}});
        co_return;
    }
    auto accepted =
        co_await accept_request(exchange, services, {.model = form.model, .kind = backends::ModelKind::image},
                                [&](const auto* facts) { return to_job(request, facts); });
    if (!accepted)
        co_return;
    request = {};  // its pictures are in the job, and an answer takes minutes
    auto& [model, job] = *accepted;
    job.set_id(new_id("img-"));
    const std::size_t pictures = job.has_image() ? job.image().count() : 1;
    const bool streamed = form.streaming.stream.value_or(false);
    StreamForm stream_form = to_stream_form(form);
    stream_form.job = [&services, owner = exchange.request().caller, id = job.id()] {
        return services.image_jobs.find(owner, id);
    };
    JobRun run(exchange, services,
               labels_of(model, {.endpoint = form.endpoint, .streamed = streamed, .to_request_path = form.to_path}),
               std::move(job));
    if (streamed)
        co_await answer_stream(exchange, run, std::move(stream_form));
    else
        co_await answer_whole(exchange, services, run, std::move(form), pictures);
}

Form form_of(const EditOptions& edit) {
    return {.endpoint = "/v1/images/edits",
            .model = edit.options.model,
            .delivery = edit.options.delivery,
            .streaming = edit.streaming,
            .size = edit.options.size.value_or("auto")};
}

/// The first model that can enlarge, where the request names none.
std::optional<std::string> upscaler(const Services& services, const UpscaleOptions& options) {
    if (options.model)
        return options.model;
    for (const auto& model : services.catalogue.models())
        if (model.kind == backends::ModelKind::image && model.facts && model.facts->image().upscaling())
            return model.name.value();
    return std::nullopt;
}

Form form_of(const Services& services, const UpscaleOptions& options) {
    return {.endpoint = "/v1/images/upscale",
            .model = upscaler(services, options),
            .delivery = options.delivery,
            .seeds = Seeds::none};
}

}  // namespace

awaitable<void> generate(http::Exchange& exchange, const Services& services) {
    auto request = co_await read_request<Request>(exchange);
    if (!request)
        co_return;
    Form form{.endpoint = "/v1/images/generations",
              .to_path = &to_request_path,
              .model = request->options.model,
              .delivery = request->options.delivery,
              .streaming = request->streaming,
              .size = request->options.size.value_or("auto"),
              .of = StreamForm::Of::generation};
    co_await answer(exchange, services, *std::move(request), std::move(form));
}

awaitable<void> edit(http::Exchange& exchange, const Services& services) {
    if (has_form(exchange.request())) {
        auto request = co_await read_form<EditForm>(exchange);
        if (!request)
            co_return;
        Form form = form_of(request->options);
        co_await answer(exchange, services, *std::move(request), std::move(form));
        co_return;
    }
    auto request = co_await read_request<EditBody>(exchange);
    if (!request)
        co_return;
    Form form = form_of(request->options);
    form.to_path = &to_edit_body_path;
    co_await answer(exchange, services, *std::move(request), std::move(form));
}

awaitable<void> vary(http::Exchange& exchange, const Services& services) {
    auto request = co_await read_form<VariationForm>(exchange);
    if (!request)
        co_return;
    Form form{.endpoint = "/v1/images/variations",
              .model = request->options.model,
              .delivery = request->options.delivery,
              .size = request->options.size.value_or("auto")};
    co_await answer(exchange, services, *std::move(request), std::move(form));
}

awaitable<void> upscale(http::Exchange& exchange, const Services& services) {
    if (has_form(exchange.request())) {
        auto request = co_await read_form<UpscaleForm>(exchange);
        if (!request)
            co_return;
        Form form = form_of(services, request->options);
        co_await answer(exchange, services, *std::move(request), std::move(form));
        co_return;
    }
    auto request = co_await read_request<UpscaleBody>(exchange);
    if (!request)
        co_return;
    Form form = form_of(services, request->options);
    co_await answer(exchange, services, *std::move(request), std::move(form));
}

}  // namespace gateway::api::images
