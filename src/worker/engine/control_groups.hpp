#pragma once

/// The control groups that bound this process: its own and all above it, each of which may hold a limit.

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace worker::engine {

/// Where to look; tests point these at folders of their own.
struct ControlGroupSources {
    std::filesystem::path cgroups = "/sys/fs/cgroup";
    std::filesystem::path membership = "/proc/self/cgroup";
};

struct ControlGroup {
    bool version_2 = false;
    /// May not exist: inside a container the path can be the host's, and only some of its ancestors are to be seen.
    std::filesystem::path folder;
    /// For the log, e.g. "/system.slice/app".
    std::string name;
};

/// From this process's group up to the root, in both versions of control groups; of version 1 those of `controller`.
/// Empty when nothing is known.
std::vector<ControlGroup> groups_of_this_process(std::string_view controller, const ControlGroupSources& sources = {});

}  // namespace worker::engine
