#pragma once

/// Image jobs, looked at from beside the request that waits for them. Each client sees its own; another's is 404, as if it
/// were not there.

#include <vector>

#include "gateway/api/endpoint.hpp"
#include "gateway/api/endpoints.hpp"

namespace gateway::api::images {

http::asio::awaitable<void> list_jobs(http::Exchange& exchange, const Services& services);
http::asio::awaitable<void> show_job(http::Exchange& exchange, const Services& services);
/// The request that waits for the job is answered with an error of status 499. A job that has ended stays as it is.
http::asio::awaitable<void> cancel_job(http::Exchange& exchange, const Services& services);

/// The rows for them.
std::vector<Endpoint> make_job_endpoints();

}  // namespace gateway::api::images
