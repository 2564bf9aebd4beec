#include "worker/engine/cores.hpp"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <numeric>
#include <optional>
#include <thread>
#include <utility>

#include "worker/engine/topology.hpp"

namespace worker::engine {
namespace {

struct Quota {
    double cores = 0;
    std::string group;
};

// Masks of hosts with more than 1024 CPUs do not fit the fixed type; they are grown until the kernel is content.
std::vector<unsigned> affinity_mask() {
    std::vector<unsigned> cpus;
    for (int most = 1024; most <= 1 << 16 && cpus.empty(); most *= 2) {
        cpu_set_t* set = CPU_ALLOC(most);
        const std::size_t size = CPU_ALLOC_SIZE(most);
        CPU_ZERO_S(size, set);
        if (sched_getaffinity(0, size, set) == 0) {
            for (int cpu = 0; cpu < most; ++cpu) {
                if (CPU_ISSET_S(cpu, size, set)) {
                    cpus.push_back(static_cast<unsigned>(cpu));
                }
            }
        }
        CPU_FREE(set);
    }
    if (cpus.empty()) {
        cpus.resize(std::max(std::thread::hardware_concurrency(), 1U));
        std::iota(cpus.begin(), cpus.end(), 0U);
    }
    return cpus;
}

// cpu.max of version 2: "max 100000" or "150000 100000".
std::optional<double> quota_v2(const std::filesystem::path& folder) {
    std::ifstream file(folder / "cpu.max");
    double quota = 0;
    double period = 0;
    if (file >> quota >> period && quota > 0 && period > 0) {
        return quota / period;
    }
    return std::nullopt;
}

std::optional<double> quota_v1(const std::filesystem::path& folder) {
    std::ifstream quota_file(folder / "cpu.cfs_quota_us");
    std::ifstream period_file(folder / "cpu.cfs_period_us");
    double quota = 0;
    double period = 0;
    if (quota_file >> quota && period_file >> period && quota > 0 && period > 0) {
        return quota / period;
    }
    return std::nullopt;
}

std::optional<Quota> smallest_quota(const ControlGroupSources& sources) {
    std::optional<Quota> smallest;
    for (const ControlGroup& group : groups_of_this_process("cpu", sources)) {
        const auto quota = group.version_2 ? quota_v2(group.folder) : quota_v1(group.folder);
        if (quota && (!smallest || *quota < smallest->cores)) {
            smallest = Quota{.cores = *quota, .group = group.name};
        }
    }
    return smallest;
}

}  // namespace

Cores available_cores(const CoreSources& sources) {
    const auto cpus = sources.cpus.empty() ? affinity_mask() : sources.cpus;
    const auto topology = topology_of(cpus, sources.system);
    const auto quota = smallest_quota(sources.groups);
    const auto by_quota = quota ? std::max(1U, static_cast<unsigned>(quota->cores)) : topology.cores;
    std::string reason =
        quota ? fmt::format("quota of {:.2f} cores in group {}", quota->cores, quota->group) : std::string("no quota");
    reason += topology.cores == cpus.size()
                  ? fmt::format(", {} CPUs in the affinity mask", cpus.size())
                  : fmt::format(", {} cores of {} CPUs in the affinity mask", topology.cores, cpus.size());
    if (topology.nodes.size() > 1) {
        reason += fmt::format(", on {} NUMA nodes", topology.nodes.size());
    }
    return {.threads = std::min(topology.cores, by_quota),
            .reason = std::move(reason),
            .nodes = std::max<std::size_t>(topology.nodes.size(), 1)};
}

base::Result<void> stay_on_node(unsigned node) {
    const auto of_node = cpus_of_node(node, CoreSources{}.system);
    std::vector<unsigned> cpus;
    std::ranges::copy_if(affinity_mask(), std::back_inserter(cpus),
                         [&](unsigned cpu) { return std::ranges::find(of_node, cpu) != of_node.end(); });
    if (cpus.empty()) {
        return base::fail(base::ErrorCode::invalid, fmt::format("This process may use no CPU of NUMA node {}.", node),
                          "numa_node");
    }
    const int most = static_cast<int>(cpus.back()) + 1;
    cpu_set_t* set = CPU_ALLOC(most);
    const std::size_t size = CPU_ALLOC_SIZE(most);
    CPU_ZERO_S(size, set);
    for (const unsigned cpu : cpus) {
        CPU_SET_S(cpu, size, set);
    }
    const bool done = sched_setaffinity(0, size, set) == 0;
    CPU_FREE(set);
    if (!done) {
        return base::fail(base::ErrorCode::internal, "The affinity mask cannot be changed.", "numa_node");
    }
    return {};
}

}  // namespace worker::engine
