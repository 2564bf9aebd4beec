#pragma once

/// How much memory this process may use, and how much of it is free: what the host has, or less by the limits of its
/// control groups.

#include <cstddef>
#include <filesystem>
#include <string>

#include "worker/engine/control_groups.hpp"

namespace worker::engine {

struct MemoryLimit {
    std::size_t bytes = 0;
    /// One line for the log.
    std::string reason;
};

struct MemorySources {
    ControlGroupSources groups = {};
    std::filesystem::path meminfo = "/proc/meminfo";
};

MemoryLimit memory_limit(const MemorySources& sources = {});

/// How much of it is free now: taking this much more neither ends a process nor pushes others out. What is only kept of
/// files counts as free.
MemoryLimit free_memory(const MemorySources& sources = {});

}  // namespace worker::engine
