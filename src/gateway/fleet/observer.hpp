#pragma once

/// What the fleet tells about its workers. Everything has an empty default.

#include <sys/types.h>

#include "gateway/backends/backend.hpp"
#include "gateway/fleet/worker_life.hpp"

namespace gateway::fleet {

class Observer {
public:
    virtual ~Observer() = default;
    virtual void on_worker_started(const backends::ModelName& /*model*/, pid_t /*pid*/) {}
    /// The worker takes jobs at `backend`, which lives until its last job has had its last event.
    virtual void on_worker_ready(const backends::ModelName& /*model*/, backends::Backend& /*backend*/,
                                 const llm_gateway::engine::v1::ModelFacts& /*facts*/) {}
    /// It takes no jobs now, or still takes none for another reason than before.
    virtual void on_worker_unready(const backends::ModelName& /*model*/) {}
    virtual void on_worker_ended(const backends::ModelName& /*model*/, const Death& /*death*/) {}
};

}  // namespace gateway::fleet
