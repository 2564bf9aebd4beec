#include "worker/engine/control_groups.hpp"

#include <fmt/format.h>

#include <fstream>
#include <utility>

namespace worker::engine {
namespace {

// A membership line is "hierarchy:controllers:/path"; version 2 has hierarchy 0 and no controllers.
struct Membership {
    bool version_2 = false;
    std::filesystem::path controller;
    std::string path;
};

std::vector<Membership> memberships(const std::filesystem::path& file, std::string_view controller) {
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
        } else if (fmt::format(",{},", controllers).find(fmt::format(",{},", controller)) != std::string::npos) {
            found.push_back({.version_2 = false, .controller = controllers, .path = path});
            found.push_back({.version_2 = false, .controller = controller, .path = std::move(path)});
        }
    }
    return found;
}

}  // namespace

std::vector<ControlGroup> groups_of_this_process(std::string_view controller, const ControlGroupSources& sources) {
    std::vector<ControlGroup> groups;
    for (const Membership& membership : memberships(sources.membership, controller)) {
        const auto root = sources.cgroups / membership.controller;
        auto group = std::filesystem::path(membership.path);
        while (true) {
            groups.push_back(
                {.version_2 = membership.version_2, .folder = root / group.relative_path(), .name = group.string()});
            if (!group.has_relative_path()) {
                break;
            }
            group = group.parent_path();
        }
    }
    return groups;
}

}  // namespace worker::engine
