#include "metrics/process.hpp"

#include <unistd.h>

#include <charconv>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

namespace metrics {
namespace {

/// Empty when it cannot be read: the process may end at any moment.
std::string content(const std::filesystem::path& file) {
    std::ifstream stream(file);
    return {std::istreambuf_iterator<char>(stream), {}};
}

std::optional<std::uint64_t> number(std::string_view text) {
    const auto begin = text.find_first_not_of(" \t");
    if (begin == std::string_view::npos) {
        return std::nullopt;
    }
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data() + begin, text.data() + text.size(), value);
    return error == std::errc{} ? std::optional(value) : std::nullopt;
}

/// The number after `key` at the start of a line: "RssAnon:\t  4 kB", "nr_throttled 12".
std::optional<std::uint64_t> field(std::string_view text, std::string_view key) {
    for (std::size_t at = text.find(key); at != std::string_view::npos; at = text.find(key, at + 1)) {
        const auto after = at + key.size();
        if ((at == 0 || text[at - 1] == '\n') && after < text.size() &&
            std::string_view(": \t").find(text[after]) != std::string_view::npos) {
            return number(text.substr(after + 1));
        }
    }
    return std::nullopt;
}

std::uint64_t kilobytes(std::string_view text, std::string_view key) {
    return field(text, key).value_or(0) * 1024;
}

/// From field 3 on, "state"; the name before it is in parentheses and may hold spaces and parentheses.
std::vector<std::string_view> stat_fields(std::string_view stat) {
    std::vector<std::string_view> fields;
    const auto name_end = stat.rfind(')');
    if (name_end == std::string_view::npos) {
        return fields;
    }
    stat.remove_prefix(name_end + 1);
    while (true) {
        const auto begin = stat.find_first_not_of(" \n");
        if (begin == std::string_view::npos) {
            return fields;
        }
        const auto end = stat.find_first_of(" \n", begin);
        fields.push_back(stat.substr(begin, end - begin));
        if (end == std::string_view::npos) {
            return fields;
        }
        stat.remove_prefix(end);
    }
}

void read_memory(ProcessUsage& usage, const std::filesystem::path& folder) {
    const auto status = content(folder / "status");
    usage.swapped_bytes = kilobytes(status, "VmSwap");
    if (field(status, "RssAnon")) {
        usage.anonymous_bytes = kilobytes(status, "RssAnon");
        usage.mapped_bytes = kilobytes(status, "RssFile");
        usage.shared_bytes = kilobytes(status, "RssShmem");
        return;
    }
    // Sandboxed kernels leave these out of `status`. The sum over all mappings walks the page tables, so it is second.
    const auto rollup = content(folder / "smaps_rollup");
    const auto resident = field(rollup, "Rss") ? kilobytes(rollup, "Rss") : kilobytes(status, "VmRSS");
    const auto anonymous = field(rollup, "Anonymous") ? kilobytes(rollup, "Anonymous") : resident;
    usage.anonymous_bytes = anonymous;
    usage.mapped_bytes = resident > anonymous ? resident - anonymous : 0;
}

std::optional<Throttling> read_cpu_stat(const std::filesystem::path& folder) {
    const auto text = content(folder / "cpu.stat");
    const auto periods = field(text, "nr_periods");
    if (!periods) {
        return std::nullopt;
    }
    Throttling result{.periods = *periods, .throttled_periods = field(text, "nr_throttled").value_or(0)};
    if (const auto microseconds = field(text, "throttled_usec")) {  // version 2
        result.throttled_seconds = static_cast<double>(*microseconds) * 1e-6;
    } else {  // version 1, in nanoseconds
        result.throttled_seconds = static_cast<double>(field(text, "throttled_time").value_or(0)) * 1e-9;
    }
    return result;
}

/// The first folder with statistics, from `path` under `root` upwards. A container sees its own cgroup as the root,
/// while /proc/PID/cgroup may still give the path that the host sees.
std::optional<Throttling> nearest(const std::filesystem::path& root, std::filesystem::path path) {
    for (path = path.relative_path();; path = path.parent_path()) {
        if (auto found = read_cpu_stat(root / path)) {
            return found;
        }
        if (path.empty()) {
            return std::nullopt;
        }
    }
}

bool lists(std::string_view controllers, std::string_view wanted) {
    while (!controllers.empty()) {
        const auto comma = controllers.find(',');
        if (controllers.substr(0, comma) == wanted) {
            return true;
        }
        controllers = comma == std::string_view::npos ? std::string_view{} : controllers.substr(comma + 1);
    }
    return false;
}

}  // namespace

std::optional<ProcessUsage> process_usage(pid_t process, const SystemFolders& folders) {
    const auto folder = folders.proc / std::to_string(process);
    const auto stat = content(folder / "stat");
    const auto fields = stat_fields(stat);
    constexpr std::size_t major_faults = 12 - 3;
    constexpr std::size_t user_ticks = 14 - 3;
    constexpr std::size_t system_ticks = 15 - 3;
    if (fields.size() <= system_ticks) {
        return std::nullopt;
    }
    ProcessUsage usage;
    usage.major_faults = number(fields[major_faults]).value_or(0);
    const auto ticks = number(fields[user_ticks]).value_or(0) + number(fields[system_ticks]).value_or(0);
    usage.cpu_seconds = static_cast<double>(ticks) / static_cast<double>(sysconf(_SC_CLK_TCK));
    read_memory(usage, folder);
    return usage;
}

std::optional<Throttling> throttling(pid_t process, const SystemFolders& folders) {
    const auto text = content(folders.proc / std::to_string(process) / "cgroup");
    std::string_view rest = text;
    while (!rest.empty()) {  // "0::/path" is version 2, "4:cpu,cpuacct:/path" version 1
        const auto line = rest.substr(0, rest.find('\n'));
        rest.remove_prefix(std::min(line.size() + 1, rest.size()));
        const auto first = line.find(':');
        const auto second = line.find(':', first + 1);
        if (first == std::string_view::npos || second == std::string_view::npos) {
            continue;
        }
        const auto controllers = line.substr(first + 1, second - first - 1);
        const std::filesystem::path path(line.substr(second + 1));
        if (controllers.empty()) {
            if (auto found = nearest(folders.cgroup, path)) {
                return found;
            }
        } else if (lists(controllers, "cpu")) {
            for (const auto* mount : {"cpu", "cpu,cpuacct"}) {
                if (auto found = nearest(folders.cgroup / mount, path)) {
                    return found;
                }
            }
        }
    }
    return std::nullopt;
}

}  // namespace metrics
