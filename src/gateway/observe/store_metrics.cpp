#include "gateway/observe/store_metrics.hpp"

#include <utility>

namespace gateway::observe {

void add_store_metrics(metrics::Registry& registry, std::function<store::Size()> size, const store::Bounds& bounds) {
    registry.add_collector([size = std::move(size), limit = bounds.bytes](metrics::Samples& samples) {
        const store::Size now = size();
        samples.gauge("gateway_store_entries", "Answers that are kept.", {}, static_cast<double>(now.entries));
        samples.gauge("gateway_store_bytes", "What they take.", {}, static_cast<double>(now.bytes));
        samples.gauge("gateway_store_limit_bytes", "Beyond this the oldest make room.", {}, static_cast<double>(limit));
    });
}

}  // namespace gateway::observe
