#include "worker/engine/memory_limit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <optional>
#include <string_view>

namespace worker::engine {
namespace {

// The number behind `wanted` in a file of lines such as "MemTotal:       24559952 kB"; 0 when there is none.
std::size_t number_at(std::string_view wanted, const std::filesystem::path& file) {
    std::ifstream lines(file);
    std::string key;
    std::size_t number = 0;
    while (lines >> key >> number) {
        if (key == wanted) {
            return number;
        }
        lines.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
    }
    return 0;
}

// "max", or in version 1 a number beyond all hosts, when there is no limit.
std::optional<std::size_t> bytes_in(const std::filesystem::path& file) {
    std::ifstream in(file);
    std::size_t bytes = 0;
    return in >> bytes ? std::optional(bytes) : std::nullopt;
}

}  // namespace

MemoryLimit memory_limit(const MemorySources& sources) {
    MemoryLimit limit{.bytes = number_at("MemTotal:", sources.meminfo) << 10, .reason = {}};
    limit.reason = fmt::format("the host has {} MiB", limit.bytes >> 20);
    for (const ControlGroup& group : groups_of_this_process("memory", sources.groups)) {
        const auto bytes = bytes_in(group.folder / (group.version_2 ? "memory.max" : "memory.limit_in_bytes"));
        if (bytes && (limit.bytes == 0 || *bytes < limit.bytes)) {
            limit = {.bytes = *bytes, .reason = fmt::format("group {} may use {} MiB", group.name, *bytes >> 20)};
        }
    }
    return limit;
}

MemoryLimit free_memory(const MemorySources& sources) {
    MemoryLimit free{.bytes = number_at("MemAvailable:", sources.meminfo) << 10, .reason = {}};
    free.reason = fmt::format("{} MiB of the host are free", free.bytes >> 20);
    for (const ControlGroup& group : groups_of_this_process("memory", sources.groups)) {
        const auto most = bytes_in(group.folder / (group.version_2 ? "memory.max" : "memory.limit_in_bytes"));
        const auto used = bytes_in(group.folder / (group.version_2 ? "memory.current" : "memory.usage_in_bytes"));
        if (!most || !used) {
            continue;
        }
        // The kernel takes back the pages of files that were not used lately before it ends a process.
        const std::size_t droppable = number_at("inactive_file", group.folder / "memory.stat");
        const std::size_t bound = *used - std::min(*used, droppable);
        const std::size_t bytes = *most - std::min(*most, bound);
        if (bytes < free.bytes) {
            free = {.bytes = bytes, .reason = fmt::format("{} MiB of group {} are free", bytes >> 20, group.name)};
        }
    }
    return free;
}

}  // namespace worker::engine
