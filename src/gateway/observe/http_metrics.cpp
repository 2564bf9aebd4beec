#include "gateway/observe/http_metrics.hpp"

#include <string>

namespace gateway::observe {

HttpMetrics::HttpMetrics(metrics::Registry& registry)
    : connections_(registry.gauge("gateway_http_connections", "Open connections.")),
      in_flight_(registry.gauge("gateway_http_requests_in_flight", "Requests that are being read or answered.")),
      responses_(registry.counter("gateway_http_responses_total",
                                  "Answers by status; 499 when the client left before its answer was complete.",
                                  {"endpoint", "status"})),
      duration_(registry.histogram("gateway_http_request_duration_seconds",
                                   "From the head of a request to the end of its answer.",
                                   metrics::request_seconds_buckets(), {"endpoint"})) {}

void HttpMetrics::on_request_finished(const http::Finished& finished) {
    in_flight_.add(-1);
    const std::string endpoint(finished.endpoint);
    responses_.add({endpoint, std::to_string(finished.status)});
    duration_.observe({endpoint}, finished.seconds);
}

}  // namespace gateway::observe
