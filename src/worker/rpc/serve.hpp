#pragma once

/// The life of a worker process, from its socket to its exit status; `main` builds the pieces and calls `serve`.

#include <sys/types.h>

#include <functional>
#include <memory>
#include <string>

#include "base/result.hpp"
#include "worker/rpc/job_runner.hpp"

namespace worker::rpc {

/// Told how far loading is, 0..1; from any thread.
using LoadProgress = std::function<void(double fraction)>;

/// Loads the model and builds the runner; runs on a thread of its own while the socket already answers.
using Load = std::function<base::Result<std::unique_ptr<JobRunner>>(const LoadProgress& progress)>;

struct ServeOptions {
    /// Path of the Unix socket to listen on; an old file there is replaced.
    std::string socket;
    /// The process whose end ends this one; 0: nobody's.
    pid_t parent = 0;
};

/// Exit status of a worker whose model cannot be loaded.
inline constexpr int load_failed_status = 3;

/// Ties this process to its parent: the kernel kills it when the parent dies. Call first thing in `main`, before
/// threads exist. False when the parent is already gone: exit then.
bool bind_to_parent(pid_t parent);

/// Listens, loads in the background (LOADING, then READY), runs jobs until SIGTERM or SIGINT, then takes no new job
/// (DRAINING), lets the running ones finish and returns 0. When `load` fails: one line on standard error, and
/// `load_failed_status`. Returns the exit status for `main`; one call in a process, from the main thread before any
/// other thread exists (it blocks the signals it waits for).
int serve(const ServeOptions& options, const Load& load);

}  // namespace worker::rpc
