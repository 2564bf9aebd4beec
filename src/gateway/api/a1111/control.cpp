// What clients do beside a request: look how far it is, stop it, choose the model of the next one.
#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>

#include "base/base64.hpp"
#include "gateway/api/a1111/answers.hpp"
#include "gateway/api/a1111/choices.hpp"
#include "gateway/api/a1111/endpoint.hpp"
#include "gateway/api/a1111/to_request.hpp"
#include "gateway/api/a1111/types.hpp"
#include "gateway/api/failure.hpp"
#include "gateway/api/query.hpp"
#include "gateway/drawing/image_jobs.hpp"

namespace gateway::api::a1111 {
namespace {

using http::asio::awaitable;

/// The one that is drawn, or else the one that will be next.
std::optional<drawing::JobStatus> current_job(const Services& services, const std::string& caller) {
    std::optional<drawing::JobStatus> current;
    for (drawing::JobStatus& job : services.image_jobs.list(caller)) {
        if (job.ended())
            continue;
        if (!current || (job.state == drawing::State::running && current->state != drawing::State::running))
            current = std::move(job);
    }
    return current;
}

Progress to_progress(const drawing::JobStatus& job, bool with_picture) {
    Progress progress{.progress = job.progress,
                      .eta_relative = job.predicted_seconds.value_or(0),
                      .state = {.job = job.id,
                                .job_count = static_cast<std::int32_t>(job.pictures),
                                .job_no = static_cast<std::int32_t>(job.pictures_done),
                                .job_timestamp = fmt::format(
                                    "{:%Y%m%d%H%M%S}", fmt::gmtime(std::chrono::system_clock::to_time_t(job.created))),
                                .sampling_step = static_cast<std::int32_t>(job.step),
                                .sampling_steps = static_cast<std::int32_t>(job.steps)},
                      .current_image = {},
                      .textinfo = {}};
    if (with_picture && job.preview)
        progress.current_image = base::encode_base64(*job.preview);
    if (job.state == drawing::State::queued)
        progress.textinfo = fmt::format("{} before it in the line", job.position);
    return progress;
}

}  // namespace

awaitable<void> progress(http::Exchange& exchange, const Services& services) {
    const auto query = co_await read_query<ProgressQuery>(exchange);
    if (!query)
        co_return;
    const auto job = current_job(services, exchange.request().caller);
    co_await exchange.send(
        http::json_response(schema::to_text(job ? to_progress(*job, !query->skip_current_image) : Progress{})));
}

awaitable<void> interrupt(http::Exchange& exchange, const Services& services) {
    const std::string& caller = exchange.request().caller;
    for (const drawing::JobStatus& job : services.image_jobs.list(caller))
        if (job.state == drawing::State::running)
            services.image_jobs.cancel(caller, job.id);
    co_await exchange.send(http::json_response(schema::to_text(Nothing{})));
}

awaitable<void> get_options(http::Exchange& exchange, const Services& services) {
    const Choice& choice = services.a1111_choices.of(exchange.request().caller);
    const auto standard = services.catalogue.default_model(backends::ModelKind::image);
    co_await exchange.send(http::json_response(schema::to_text(
        Options{.sd_model_checkpoint = choice.model.value_or(standard ? standard->value() : std::string()),
                .clip_skip = choice.clip_skip.value_or(1)})));
}

awaitable<void> set_options(http::Exchange& exchange, const Services& services) {
    auto settings = co_await read_request<Settings>(exchange);
    if (!settings)
        co_return;
    Choice& choice = services.a1111_choices.of(exchange.request().caller);
    if (settings->sd_model_checkpoint) {
        auto found =
            find_model(services.catalogue, model_of_title(*settings->sd_model_checkpoint), backends::ModelKind::image);
        if (!found)
            found.error().param = "sd_model_checkpoint";
        const auto model = co_await require(exchange, std::move(found));
        if (!model)
            co_return;
        choice.model = model->name.value();
    }
    if (settings->clip_skip)
        choice.clip_skip = settings->clip_skip;
    co_await exchange.send(http::json_response(schema::to_text(Nothing{})));
}

}  // namespace gateway::api::a1111
