#pragma once

/// Metrics of workers, queues and the gateway's own process, read when metrics are asked for.

#include <functional>
#include <map>
#include <vector>

#include "base/clock.hpp"
#include "gateway/dispatch/dispatcher.hpp"
#include "gateway/fleet/worker.hpp"
#include "metrics/process.hpp"
#include "metrics/registry.hpp"

namespace gateway::observe {

/// Where the numbers come from.
struct FleetSources {
    std::function<std::vector<fleet::WorkerSnapshot>()> workers;
    std::function<std::vector<dispatch::Load>()> load;
    metrics::SystemFolders system;
};

class FleetMetrics {
public:
    /// Both references must outlive this, and nothing may ask `registry` for its exposition after this has ended.
    FleetMetrics(metrics::Registry& registry, const base::Clock& clock, FleetSources sources);
    FleetMetrics(const FleetMetrics&) = delete;
    FleetMetrics& operator=(const FleetMetrics&) = delete;

    /// Measures how busy the workers are, every few seconds; to be called more often than that.
    void tick();

private:
    struct Sample {
        pid_t pid = 0;
        double cpu_seconds = 0;
        double cores_used = 0;
    };

    void collect(metrics::Samples& samples) const;
    void collect_worker(const fleet::WorkerSnapshot& worker, metrics::Samples& samples) const;
    void collect_gateway(metrics::Samples& samples) const;

    const base::Clock& clock_;
    const FleetSources sources_;
    base::TimePoint sampled_;
    std::map<backends::ModelName, Sample> samples_;
};

}  // namespace gateway::observe
