#include "gateway/api/images/job_endpoint.hpp"

#include <fmt/format.h>

#include "gateway/api/images/job.hpp"
#include "gateway/api/query.hpp"

namespace gateway::api::images {
namespace {

using http::asio::awaitable;

awaitable<void> send_job(http::Exchange& exchange, const Services& services, bool with_preview) {
    const http::Request& request = exchange.request();
    const std::string id(request.path_parameter("job_id"));
    if (const auto status = services.image_jobs.find(request.caller, id))
        co_await exchange.send(http::json_response(schema::to_text(to_image_job(*status, with_preview))));
    else
        co_await exchange.send_error({.code = base::ErrorCode::not_found,
                                      .message = fmt::format("There is no image job with id '{}'.", id),
                                      .param = {},
                                      .retry_after = {}});
}

}  // namespace

awaitable<void> list_jobs(http::Exchange& exchange, const Services& services) {
    ImageJobList list;
    for (const drawing::JobStatus& status : services.image_jobs.list(exchange.request().caller))
        list.data.push_back(to_image_job(status, false));
    co_await exchange.send(http::json_response(schema::to_text(list)));
}

awaitable<void> show_job(http::Exchange& exchange, const Services& services) {
    if (const auto query = co_await read_query<ImageJobQuery>(exchange))
        co_await send_job(exchange, services, query->preview);
}

awaitable<void> cancel_job(http::Exchange& exchange, const Services& services) {
    const http::Request& request = exchange.request();
    services.image_jobs.cancel(request.caller, request.path_parameter("job_id"));
    co_await send_job(exchange, services, false);
}

}  // namespace gateway::api::images
