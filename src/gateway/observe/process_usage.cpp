#include "gateway/observe/process_usage.hpp"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace gateway::observe {
namespace {

std::string read_file(const std::filesystem::path& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
}

std::uint64_t to_number(std::string_view text) {
    text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
    std::uint64_t number = 0;
    std::from_chars(text.data(), text.data() + text.size(), number);
    return number;
}

/// The number after `key` at the start of a line; 0 when there is none.
std::uint64_t number_after(std::string_view text, std::string_view key) {
    for (std::size_t line = 0; line < text.size();) {
        const auto rest = text.substr(line);
        if (rest.starts_with(key)) {
            return to_number(rest.substr(key.size()));
        }
        const auto end = rest.find('\n');
        if (end == std::string_view::npos) {
            break;
        }
        line += end + 1;
    }
    return 0;
}

/// proc(5): the fields after the program's name, which may hold spaces and brackets; the first one here is field 3.
std::vector<std::string> fields_of_stat(const std::string& stat) {
    const auto name_end = stat.rfind(')');
    std::istringstream rest(name_end == std::string::npos ? "" : stat.substr(name_end + 1));
    return {std::istream_iterator<std::string>(rest), {}};
}

/// The group's path for the controller `controller`; version 2 names no controller.
std::string group_of(std::string_view membership, std::string_view controller) {
    std::istringstream lines{std::string(membership)};
    for (std::string line; std::getline(lines, line);) {
        const auto first = line.find(':');
        const auto second = line.find(':', first + 1);
        if (second == std::string::npos) {
            continue;
        }
        const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
        if (controllers.find("," + std::string(controller) + ",") != std::string::npos) {
            return line.substr(second + 1);
        }
    }
    return "";
}

std::filesystem::path below(const std::filesystem::path& folder, const std::string& group) {
    return group.empty() ? folder : folder / group.substr(1);
}

}  // namespace

std::optional<ProcessUsage> read_process_usage(pid_t pid, const std::filesystem::path& proc) {
    constexpr std::uint64_t kib = 1024;
    constexpr std::size_t majflt = 12 - 3;
    constexpr std::size_t utime = 14 - 3;
    constexpr std::size_t stime = 15 - 3;
    const auto folder = proc / std::to_string(pid);
    const std::string status = read_file(folder / "status");
    const auto stat = fields_of_stat(read_file(folder / "stat"));
    if (status.empty() || stat.size() <= stime) {
        return std::nullopt;
    }
    const auto ticks = static_cast<double>(::sysconf(_SC_CLK_TCK));
    return ProcessUsage{.anonymous_bytes = number_after(status, "RssAnon:") * kib,
                        .mapped_bytes = (number_after(status, "RssFile:") + number_after(status, "RssShmem:")) * kib,
                        .swap_bytes = number_after(status, "VmSwap:") * kib,
                        .major_page_faults = to_number(stat[majflt]),
                        .cpu_seconds = static_cast<double>(to_number(stat[utime]) + to_number(stat[stime])) / ticks};
}

std::optional<Throttling> read_throttling(const std::filesystem::path& membership, const std::filesystem::path& root) {
    const std::string groups = read_file(membership);
    // In a container the group's own folder is often mounted as the root, so the path may be absent below it.
    for (const auto& folder : {below(root, group_of(groups, "")), root}) {
        const std::string text = read_file(folder / "cpu.stat");
        if (text.find("throttled_usec") != std::string::npos) {
            return Throttling{.periods = number_after(text, "nr_throttled "),
                              .seconds = static_cast<double>(number_after(text, "throttled_usec ")) / 1e6};
        }
    }
    for (const auto& folder : {below(root / "cpu", group_of(groups, "cpu")), root / "cpu"}) {
        const std::string text = read_file(folder / "cpu.stat");
        if (text.find("throttled_time") != std::string::npos) {
            return Throttling{.periods = number_after(text, "nr_throttled "),
                              .seconds = static_cast<double>(number_after(text, "throttled_time ")) / 1e9};
        }
    }
    return std::nullopt;
}

}  // namespace gateway::observe
