#pragma once

/// Metrics of what the gateway keeps, read when metrics are asked for.

#include <functional>

#include "gateway/store/shelf.hpp"
#include "metrics/registry.hpp"

namespace gateway::observe {

/// `size` is asked in every exposition, on its thread; what it refers to must outlive the last one.
void add_store_metrics(metrics::Registry& registry, std::function<store::Size()> size, const store::Bounds& bounds);

}  // namespace gateway::observe
