#include "gateway/api/images/job.hpp"
#include "gateway/api/images/job_endpoint.hpp"
#include "gateway/api/query.hpp"

namespace gateway::api::images {
namespace {

using http::Method;

constexpr const char* tag = "Images";
const std::vector<int> lookup_errors{400, 401, 404, 500};

using Answering = http::asio::awaitable<void> (*)(http::Exchange&, const Services&);

std::function<http::Handler(const Services&)> handled_by(Answering answer) {
    return [answer](const Services& services) {
        return [answer, services](http::Exchange& exchange) { return answer(exchange, services); };
    };
}

}  // namespace

std::vector<Endpoint> make_job_endpoints() {
    return {
        {.method = Method::get,
         .path = "/v1/images/jobs",
         .id = "listImageJobs",
         .tag = tag,
         .summary = "List the image jobs",
         .doc = "Extension. Those of the client who asks: what waits, what is drawn, and what ended lately.",
         .answers = {{200, "The jobs.", {json<ImageJobList>()}}},
         .errors = {401, 500},
         .handler = handled_by(&list_jobs)},
        {.method = Method::get,
         .path = "/v1/images/jobs/{job_id}",
         .id = "getImageJob",
         .tag = tag,
         .summary = "Show how far an image job is",
         .doc =
             "Extension. The id is in the header `x-job-id` of the answer, and with `return_progress` in the stream's "
             "event `image_generation.queued`.",
         .query = query_of<ImageJobQuery>(),
         .answers = {{200, "The job.", {json<ImageJob>()}}},
         .errors = lookup_errors,
         .handler = handled_by(&show_job)},
        {.method = Method::post,
         .path = "/v1/images/jobs/{job_id}/cancel",
         .id = "cancelImageJob",
         .tag = tag,
         .summary = "Cancel an image job",
         .doc = "Extension. The engine stops within one step. Who waits for the pictures gets an error of status 499. "
                "A job "
                "that has ended stays as it is.",
         .answers = {{200, "The job.", {json<ImageJob>()}}},
         .errors = lookup_errors,
         .handler = handled_by(&cancel_job)},
    };
}

}  // namespace gateway::api::images
