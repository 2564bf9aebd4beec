#include "worker/engine/topology.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <set>
#include <string>

namespace worker::engine {
namespace {

constexpr unsigned most_cpus = 1U << 16;

std::string first_line(const std::filesystem::path& file) {
    std::ifstream stream(file);
    std::string line;
    std::getline(stream, line);
    return line;
}

// The threads of a CPU's core; newer kernels have the first name, older ones the second.
std::vector<unsigned> siblings(unsigned cpu, const std::filesystem::path& system) {
    const auto folder = system / "cpu" / fmt::format("cpu{}", cpu) / "topology";
    auto list = parse_cpu_list(first_line(folder / "core_cpus_list"));
    return list.empty() ? parse_cpu_list(first_line(folder / "thread_siblings_list")) : list;
}

}  // namespace

std::vector<unsigned> parse_cpu_list(std::string_view text) {
    std::vector<unsigned> cpus;
    const char* at = text.data();
    const char* const end = at + text.size();
    while (at != end) {
        unsigned first = 0;
        auto [next, problem] = std::from_chars(at, end, first);
        if (problem != std::errc()) {
            break;
        }
        unsigned last = first;
        if (next != end && *next == '-') {
            const auto range = std::from_chars(next + 1, end, last);
            next = range.ptr;
            if (range.ec != std::errc()) {
                break;
            }
        }
        for (unsigned cpu = first; cpu <= last && last < most_cpus; ++cpu) {
            cpus.push_back(cpu);
        }
        if (next == end || *next != ',') {
            break;
        }
        at = next + 1;
    }
    return cpus;
}

Topology topology_of(std::span<const unsigned> cpus, const std::filesystem::path& system) {
    Topology topology;
    std::set<unsigned> cores;
    for (const unsigned cpu : cpus) {
        const auto threads = siblings(cpu, system);
        cores.insert(threads.empty() ? cpu : std::ranges::min(threads));
    }
    topology.cores = static_cast<unsigned>(cores.size());
    for (const unsigned node : parse_cpu_list(first_line(system / "node" / "online"))) {
        const auto of_node = cpus_of_node(node, system);
        if (std::ranges::any_of(cpus, [&](unsigned cpu) { return std::ranges::find(of_node, cpu) != of_node.end(); })) {
            topology.nodes.push_back(node);
        }
    }
    return topology;
}

std::vector<unsigned> cpus_of_node(unsigned node, const std::filesystem::path& system) {
    return parse_cpu_list(first_line(system / "node" / fmt::format("node{}", node) / "cpulist"));
}

}  // namespace worker::engine
