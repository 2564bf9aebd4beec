#include "gateway/api/request_path.hpp"

#include <optional>
#include <vector>

namespace gateway::api {
namespace {

struct Match {
    std::vector<std::string_view> indices;
    std::string_view rest;
};

std::optional<Match> match(std::string_view path, std::string_view pattern) {
    Match match;
    while (!pattern.empty()) {
        if (pattern.starts_with("[]")) {
            const auto close = path.find(']');
            if (!path.starts_with('[') || close == std::string_view::npos)
                return std::nullopt;
            match.indices.push_back(path.substr(0, close + 1));
            path.remove_prefix(close + 1);
            pattern.remove_prefix(2);
        } else {
            if (path.empty() || path.front() != pattern.front())
                return std::nullopt;
            path.remove_prefix(1);
            pattern.remove_prefix(1);
        }
    }
    if (!path.empty() && path.front() != '.' && path.front() != '[')
        return std::nullopt;
    match.rest = path;
    return match;
}

}  // namespace

std::string to_request_path(std::string_view path, std::span<const Renaming> renamings) {
    for (const auto& [job, request] : renamings) {
        const auto matched = match(path, job);
        if (!matched)
            continue;
        std::string renamed;
        std::size_t index = 0;
        for (std::string_view rest = request; !rest.empty();) {
            const auto open = rest.find("[]");
            renamed += rest.substr(0, open);
            if (open == std::string_view::npos)
                break;
            renamed += matched->indices.at(index++);
            rest.remove_prefix(open + 2);
        }
        return renamed.append(matched->rest);
    }
    return std::string(path);
}

}  // namespace gateway::api
