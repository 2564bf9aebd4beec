// What is done with a picture that is there already: enlarge it, read its settings.
#include <cmath>

#include <fmt/format.h>

#include "base/base64.hpp"
#include "gateway/api/a1111/answers.hpp"
#include "gateway/api/a1111/endpoint.hpp"
#include "gateway/api/a1111/png_text.hpp"
#include "gateway/api/a1111/types.hpp"
#include "gateway/api/answering.hpp"
#include "gateway/api/identity.hpp"
#include "gateway/api/request_body.hpp"

namespace gateway::api::a1111 {
namespace {

using http::asio::awaitable;

std::unexpected<base::Error> refused(std::string message, std::string param) {
    return base::fail(base::ErrorCode::invalid, std::move(message), std::move(param));
}

/// Of base64, or of a data: URL with base64.
base::Result<std::string> bytes_of(std::string_view text) {
    if (text.starts_with("data:")) {
        const auto comma = text.find(',');
        text = comma == std::string_view::npos ? std::string_view{} : text.substr(comma + 1);
    }
    auto bytes = base::decode_base64(text);
    if (!bytes || bytes->empty())
        return refused("image: must be a picture in base64, or a data: URL with one", "image");
    return *std::move(bytes);
}

base::Result<backends::ModelName> upscaler_named(const Services& services, const std::optional<std::string>& name) {
    std::string there_is;
    for (const auto& model : services.catalogue.models()) {
        if (model.kind != backends::ModelKind::image || !model.facts || !model.facts->image().upscaling())
            continue;
        if (!name || *name == model.name.value())
            return model.name;
        there_is += (there_is.empty() ? "" : ", ") + model.name.value();
    }
    return refused(there_is.empty() ? "upscaler_1: no model here enlarges pictures"
                                    : fmt::format("upscaler_1: must be one of {}", there_is),
                   "upscaler_1");
}

base::Result<backends::Job> to_job(const ExtraSingleImageRequest& request) {
    auto bytes = bytes_of(request.image);
    if (!bytes)
        return std::unexpected(bytes.error());
    backends::Job job;
    job.set_id(new_id("img-"));
    job.mutable_upscale()->set_image(*std::move(bytes));
    if (request.upscaling_resize) {
        if (*request.upscaling_resize != std::floor(*request.upscaling_resize))
            return refused("upscaling_resize: must be a whole number", "upscaling_resize");
        job.mutable_upscale()->set_factor(static_cast<std::uint32_t>(*request.upscaling_resize));
    }
    return job;
}

std::string to_extra_path(std::string_view job_path) {
    return job_path == "factor" ? "upscaling_resize" : std::string(job_path);
}

}  // namespace

awaitable<void> extra_single_image(http::Exchange& exchange, const Services& services) {
    auto request = co_await read_request<ExtraSingleImageRequest>(exchange);
    if (!request)
        co_return;
    const auto model = co_await require(exchange, upscaler_named(services, request->upscaler_1));
    if (!model)
        co_return;
    auto job = co_await require(exchange, to_job(*request));
    if (!job)
        co_return;
    request.reset();
    JobRun run(exchange, services,
               {.model = *model, .endpoint = "/sdapi/v1/extra-single-image", .to_request_path = &to_extra_path},
               *std::move(job));
    ExtraAnswer answer;
    while (auto event = co_await next_event(exchange, run))
        if (event->has_image_done())
            answer.image = base::encode_base64(event->image_done().data());
    if (run.events().end() != http::Wait::closed)
        co_return;
    if (answer.image.empty())
        co_await exchange.send_error({.code = base::ErrorCode::internal,
                                      .message = "The worker delivered no picture.",
                                      .param = {},
                                      .retry_after = {}});
    else
        co_await exchange.send(http::json_response(schema::to_text(answer)));
}

awaitable<void> png_info(http::Exchange& exchange, const Services&) {
    const auto request = co_await read_request<PngInfoRequest>(exchange);
    if (!request)
        co_return;
    const auto file = co_await require(exchange, bytes_of(request->image));
    if (!file)
        co_return;
    PngInfo info{.info = {}, .items = png_texts(*file), .parameters = {}};
    if (const auto text = info.items.find("parameters"); text != info.items.end())
        info.info = text->second;
    info.parameters = parse_parameters(info.info);
    co_await exchange.send(http::json_response(schema::to_text(info)));
}

}  // namespace gateway::api::a1111
