#pragma once

/// Starts a program as a worker must be started: alone in its process group, without our file descriptors and signal
/// settings, and never alive after us.

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace gateway::fleet {

struct Command {
    std::filesystem::path program;
    std::vector<std::string> arguments;
    /// Names of environment variables that the worker must not see.
    std::vector<std::string> hidden_environment;
};

/// The caller owns both descriptors and must reap the process.
struct Spawned {
    pid_t pid = -1;
    /// Readable when the process has ended.
    int pidfd = -1;
    /// What the process writes to standard error. Standard output goes the same way, standard input is /dev/null.
    int standard_error = -1;
};

/// Fails when the program cannot be executed. The kernel kills the process when the thread that called `spawn` ends, so
/// that must be one that lives as long as the gateway: even a gateway killed with SIGKILL leaves no worker behind.
base::Result<Spawned> spawn(const Command& command);

}  // namespace gateway::fleet
