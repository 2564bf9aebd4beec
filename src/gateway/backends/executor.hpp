#pragma once

/// The gateway's one thread, seen by those who have something to do on it.

#include <functional>

namespace gateway::backends {

class Executor {
public:
    virtual ~Executor() = default;
    /// Runs `work` on the gateway's thread, in the order of the calls, and never before `post` has returned. Safe from
    /// any thread. Work that has not run when the executor ends is destroyed without being run.
    virtual void post(std::move_only_function<void()> work) = 0;
};

}  // namespace gateway::backends
