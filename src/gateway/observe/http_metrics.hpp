#pragma once

/// Metrics of every HTTP request, whether it ran a job or not, and of connections.

#include "http/middleware.hpp"
#include "metrics/registry.hpp"

namespace gateway::observe {

class HttpMetrics final : public http::Observer {
public:
    /// `registry` must outlive this.
    explicit HttpMetrics(metrics::Registry& registry);

    void on_connection_opened() override { connections_.add(1); }
    void on_connection_closed() override { connections_.add(-1); }
    void on_request_started() override { in_flight_.add(1); }
    void on_request_finished(const http::Finished& finished) override;

private:
    metrics::Gauge connections_;
    metrics::Gauge in_flight_;
    metrics::Counter responses_;
    metrics::Histogram duration_;
};

}  // namespace gateway::observe
