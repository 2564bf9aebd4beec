#include "worker/engine/cores.hpp"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <fstream>
#include <optional>
#include <thread>
#include <vector>

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

// A membership line is "hierarchy:controllers:/path"; version 2 has hierarchy 0 and no controllers.
struct Membership {
    bool version_2 = false;
    std::filesystem::path controller;
    std::string path;
};

std::vector<Membership> memberships(const std::filesystem::path& file) {
    std::vector<Membership> found;
    std::ifstream lines(file);
    for (std::string line; std::getline(lines, line);) {
        const auto first = line.find(':');
        const auto second = first == std::string::npos ? first : line.find(':', first + 1);
        if (second == std::string::npos) {
            continue;
        }
        const std::string controllers = line.substr(first + 1, second - first - 1);
        std::string path = line.substr(second + 1);
        if (controllers.empty()) {
            found.push_back({.version_2 = true, .controller = {}, .path = std::move(path)});
        } else if (("," + controllers + ",").find(",cpu,") != std::string::npos) {
            found.push_back({.version_2 = false, .controller = controllers, .path = path});
            found.push_back({.version_2 = false, .controller = "cpu", .path = std::move(path)});
        }
    }
    return found;
}

std::optional<Quota> smallest_quota(const CoreSources& sources) {
    std::optional<Quota> smallest;
    for (const Membership& membership : memberships(sources.membership)) {
        const auto root = sources.cgroups / membership.controller;
        // Inside a container the path may be the host's and not exist here; its existing ancestors still count.
        auto group = std::filesystem::path(membership.path);
        while (true) {
            const auto folder = root / group.relative_path();
            const auto quota = membership.version_2 ? quota_v2(folder) : quota_v1(folder);
            if (quota && (!smallest || *quota < smallest->cores)) {
                smallest = Quota{.cores = *quota, .group = group.string()};
            }
            if (!group.has_relative_path()) {
                break;
            }
            group = group.parent_path();
        }
    }
    return smallest;
}

}  // namespace

Cores available_cores(const CoreSources& sources) {
    const unsigned affinity = sources.affinity != 0 ? sources.affinity : affinity_count();
    const auto quota = smallest_quota(sources);
    if (!quota) {
        return {.threads = affinity, .reason = fmt::format("{} CPUs in the affinity mask, no quota", affinity)};
    }
    const auto by_quota = std::max(1U, static_cast<unsigned>(quota->cores));
    return {.threads = std::min(affinity, by_quota),
            .reason = fmt::format("quota of {:.2f} cores in group {}, {} CPUs in the affinity mask", quota->cores,
                                  quota->group, affinity)};
}

}  // namespace worker::engine
