#include "worker/engine/memory_limit.hpp"

#include <fmt/format.h>

#include <fstream>
#include <limits>

namespace worker::engine {
namespace {

// "MemTotal:       24559952 kB"
std::size_t host_bytes(const std::filesystem::path& meminfo) {
    std::ifstream lines(meminfo);
    std::string key;
    std::size_t kibibytes = 0;
    while (lines >> key >> kibibytes) {
        if (key == "MemTotal:") {
            return kibibytes << 10;
        }
        lines.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
    }
    return 0;
}

}  // namespace

MemoryLimit memory_limit(const MemorySources& sources) {
    MemoryLimit limit{.bytes = host_bytes(sources.meminfo), .reason = {}};
    limit.reason = fmt::format("the host has {} MiB", limit.bytes >> 20);
    for (const ControlGroup& group : groups_of_this_process("memory", sources.groups)) {
        // "max", or in version 1 a number beyond all hosts, when there is no limit.
        std::ifstream file(group.folder / (group.version_2 ? "memory.max" : "memory.limit_in_bytes"));
        std::size_t bytes = 0;
        if (file >> bytes && (limit.bytes == 0 || bytes < limit.bytes)) {
            limit = {.bytes = bytes, .reason = fmt::format("group {} may use {} MiB", group.name, bytes >> 20)};
        }
    }
    return limit;
}

}  // namespace worker::engine
