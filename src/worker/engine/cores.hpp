#pragma once

/// How many threads an engine may use here: what the affinity mask and the CPU quota of the control groups leave, which
/// in a container is often far less than the cores of the host. A thread above the quota is worse than useless: the
/// engine's threads wait for each other, so one that is throttled stops them all.

#include <string>

#include "worker/engine/control_groups.hpp"

namespace worker::engine {

struct Cores {
    /// At least 1.
    unsigned threads = 1;
    /// For the log, e.g. "quota of 2.0 cores in /system.slice/app, 8 CPUs in the affinity mask".
    std::string reason;
};

/// Where to look.
struct CoreSources {
    ControlGroupSources groups;
    /// CPUs in the affinity mask of this process; 0: ask the kernel.
    unsigned affinity = 0;
};

/// Reads both versions of control groups and takes the smallest quota on the way from this process's group up to the
/// root. A quota of 2.5 cores means 2 threads, one of 0.5 means 1. Files that are missing or odd mean "no quota".
Cores available_cores(const CoreSources& sources = {});

}  // namespace worker::engine
