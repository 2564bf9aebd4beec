#pragma once

/// What a process uses, as the kernel says: the numbers to tell memory of our own from mapped weights, waiting for a
/// disk from computing, and being throttled from being slow.

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <optional>

namespace metrics {

struct ProcessUsage {
    /// Cannot be dropped by the kernel: heap, KV cache, stacks.
    std::uint64_t anonymous_bytes = 0;
    /// Mapped files, mostly weights: the kernel may drop and read them again.
    std::uint64_t mapped_bytes = 0;
    std::uint64_t shared_bytes = 0;
    std::uint64_t swapped_bytes = 0;
    /// Page faults that had to wait for a disk.
    std::uint64_t major_faults = 0;
    double cpu_seconds = 0;
};

/// Time a cgroup stood still because its quota was used up.
struct Throttling {
    std::uint64_t periods = 0;
    std::uint64_t throttled_periods = 0;
    double throttled_seconds = 0;
};

/// Where the kernel shows itself; another place in tests.
struct SystemFolders {
    std::filesystem::path proc = "/proc";
    std::filesystem::path cgroup = "/sys/fs/cgroup";
};

/// Empty when there is no such process. Costs some 50 microseconds.
std::optional<ProcessUsage> process_usage(pid_t process, const SystemFolders& folders = {});

/// Of the process's cgroup, version 2 or 1, or the nearest one above that has a quota's statistics. Empty when none
/// has, as outside of containers.
std::optional<Throttling> throttling(pid_t process, const SystemFolders& folders = {});

}  // namespace metrics
