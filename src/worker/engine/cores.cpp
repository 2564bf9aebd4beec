#include "worker/engine/cores.hpp"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <fstream>
#include <optional>
#include <thread>

namespace worker::engine {
namespace {

struct Quota {
    double cores = 0;
    std::string group;
};

unsigned affinity_count() {
    // Masks of hosts with more than 1024 CPUs do not fit the fixed type; they are grown until the kernel is content.
    for (int cpus = 1024; cpus <= 1 << 16; cpus *= 2) {
        cpu_set_t* set = CPU_ALLOC(cpus);
        const std::size_t size = CPU_ALLOC_SIZE(cpus);
        CPU_ZERO_S(size, set);
        const bool known = sched_getaffinity(0, size, set) == 0;
        const int count = known ? CPU_COUNT_S(size, set) : 0;
        CPU_FREE(set);
        if (known) {
            return static_cast<unsigned>(std::max(count, 1));
        }
    }
    return std::max(std::thread::hardware_concurrency(), 1U);
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
    const unsigned affinity = sources.affinity != 0 ? sources.affinity : affinity_count();
    const auto quota = smallest_quota(sources.groups);
    if (!quota) {
        return {.threads = affinity, .reason = fmt::format("{} CPUs in the affinity mask, no quota", affinity)};
    }
    const auto by_quota = std::max(1U, static_cast<unsigned>(quota->cores));
    return {.threads = std::min(affinity, by_quota),
            .reason = fmt::format("quota of {:.2f} cores in group {}, {} CPUs in the affinity mask", quota->cores,
                                  quota->group, affinity)};
}

}  // namespace worker::engine
