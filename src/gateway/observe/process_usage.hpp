#pragma once

/// What the kernel says about a process and about our control group, read from /proc and /sys. Takes microseconds, so
/// it is read when metrics are asked for.

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <optional>

namespace gateway::observe {

struct ProcessUsage {
    /// Heap, stacks, buffers: memory that only swap could free.
    std::uint64_t anonymous_bytes = 0;
    /// Files mapped into memory, as weights are: the kernel can drop and read them again.
    std::uint64_t mapped_bytes = 0;
    std::uint64_t swap_bytes = 0;
    std::uint64_t major_page_faults = 0;
    double cpu_seconds = 0;
};

/// Empty when the process is gone.
std::optional<ProcessUsage> read_process_usage(pid_t pid, const std::filesystem::path& proc = "/proc");

/// How often and how long the control group was held back because its CPU quota was used up.
struct Throttling {
    std::uint64_t periods = 0;
    double seconds = 0;
};

/// Of the control group that `membership`, a file like /proc/self/cgroup, names; version 2 or 1. Empty without a CPU
/// quota.
std::optional<Throttling> read_throttling(const std::filesystem::path& membership = "/proc/self/cgroup",
                                          const std::filesystem::path& root = "/sys/fs/cgroup");

}  // namespace gateway::observe
