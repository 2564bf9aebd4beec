#pragma once

/// Metrics of what clients wait for: first token, each further token, the queue, the whole answer, the steps of an
/// image.

#include "gateway/api/observer.hpp"
#include "gateway/backends/catalogue.hpp"
#include "metrics/registry.hpp"

namespace gateway::observe {

class JobMetrics final : public api::Observer {
public:
    /// Both must outlive this.
    JobMetrics(metrics::Registry& registry, const backends::Catalogue& catalogue);

    void on_started(std::string_view model, double queue_seconds) override;
    void on_first_token(std::string_view model, double seconds) override;
    void on_time_per_token(std::string_view model, double seconds) override;
    void on_image_step(std::string_view model, double seconds) override;
    void on_image_done(std::string_view model) override;
    void on_job_finished(const api::FinishedJob& job) override;

private:
    const backends::Catalogue& catalogue_;
    metrics::Histogram first_token_;
    metrics::Histogram time_per_token_;
    metrics::Histogram queue_wait_;
    metrics::Histogram duration_;
    metrics::Histogram image_step_;
    metrics::Histogram image_encode_;
    metrics::Histogram image_decode_;
    metrics::Counter images_;
    metrics::Counter tokens_;
    metrics::Counter requests_;
};

}  // namespace gateway::observe
