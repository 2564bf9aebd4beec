#pragma once

/// Which CPUs of this machine are threads of one core, and which node's memory is near to them, as Linux tells in /sys.

#include <filesystem>
#include <span>
#include <string_view>
#include <vector>

namespace worker::engine {

struct Topology {
    /// Of the CPUs that were asked about; those that share a core are counted once.
    unsigned cores = 0;
    /// NUMA nodes they belong to, ascending. Empty when the system does not say.
    std::vector<unsigned> nodes;
};

/// "0-3,8,10-11" as the kernel writes lists of CPUs. What is odd ends the list.
std::vector<unsigned> parse_cpu_list(std::string_view text);

/// `system`: /sys/devices/system, or a folder like it. A CPU of which nothing is known counts as a core of its own.
Topology topology_of(std::span<const unsigned> cpus, const std::filesystem::path& system);

/// The CPUs of a node; empty when there is no such node.
std::vector<unsigned> cpus_of_node(unsigned node, const std::filesystem::path& system);

}  // namespace worker::engine
