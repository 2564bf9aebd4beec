#pragma once

/// A worker names the field at fault as the job has it; a client knows only its own request.

#include <span>
#include <string>
#include <string_view>

namespace gateway::api {

/// The start of a path in a job and what it is in the request. `[]` stands for any index, which is kept:
/// {"chat.tools[].parameters_schema", "tools[].function.parameters"}.
struct Renaming {
    std::string_view job;
    std::string_view request;
};

/// By the first renaming whose `job` is the start of `path`, ending at the end of a name; what follows is kept. A path
/// that none fits stays what it is.
std::string to_request_path(std::string_view path, std::span<const Renaming> renamings);

}  // namespace gateway::api
