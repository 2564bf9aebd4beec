#pragma once

/// How many threads an engine may use here, and on which CPUs: what the affinity mask and the CPU quota of the control
/// groups leave, which in a container is often far less than the cores of the host. A thread above the quota is worse than
/// useless: the engine's threads wait for each other, so one that is throttled stops them all.
///
/// One thread for each core, not for each hardware thread: generation waits for memory, which one thread of a core
/// already keeps busy, and prompts for the multipliers, which the threads of a core share; a second one should add little but
/// another to wait for (an argument: no such machine was measured). `threads` and `batch_threads` of a model say otherwise.

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "worker/engine/control_groups.hpp"

namespace worker::engine {

struct Cores {
    /// At least 1.
    unsigned threads = 1;
    /// For the log, e.g. "quota of 2.0 cores in /system.slice/app, 4 cores of 8 CPUs in the affinity mask".
    std::string reason;
    /// Of the CPUs in the mask. With more than one, threads read each other's memory at a distance.
    std::size_t nodes = 1;
};

/// Where to look.
struct CoreSources {
    ControlGroupSources groups;
    std::filesystem::path system = "/sys/devices/system";
    /// In the affinity mask of this process; empty: ask the kernel.
    std::vector<unsigned> cpus;
};

/// Reads both versions of control groups and takes the smallest quota on the way from this process's group up to the
/// root. A quota of 2.5 cores means 2 threads, one of 0.5 means 1. Files that are missing or odd mean "no quota", and
/// every CPU a core of its own.
Cores available_cores(const CoreSources& sources = {});

/// This process, with all threads it starts from now on, runs on one NUMA node only, as far as its affinity mask allows;
/// memory that it touches first comes from there too. An error says why that cannot be.
base::Result<void> stay_on_node(unsigned node);

}  // namespace worker::engine
