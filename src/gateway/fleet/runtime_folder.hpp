#pragma once

/// The private folder (mode 0700) with the workers' sockets. It ends with the gateway; one that a killed gateway left
/// behind is removed by the next gateway that starts.

#include <filesystem>
#include <string>

#include "base/result.hpp"

namespace gateway::fleet {

class RuntimeFolder {
public:
    /// In the first usable of $RUNTIME_DIRECTORY, $XDG_RUNTIME_DIR, the temporary folder and /tmp; `parent`, when not
    /// empty, is used instead. Socket paths have at most 107 bytes, so a parent with a long path is not usable.
    static base::Result<RuntimeFolder> make(const std::filesystem::path& parent = {});

    RuntimeFolder(RuntimeFolder&& other) noexcept;
    RuntimeFolder(const RuntimeFolder&) = delete;
    RuntimeFolder& operator=(const RuntimeFolder&) = delete;
    RuntimeFolder& operator=(RuntimeFolder&&) = delete;
    ~RuntimeFolder();

    const std::filesystem::path& path() const { return path_; }

private:
    RuntimeFolder(std::filesystem::path path, int lock) : path_(std::move(path)), lock_(lock) {}

    std::filesystem::path path_;
    /// Held while the gateway lives: a folder whose lock is free is nobody's.
    int lock_ = -1;
};

}  // namespace gateway::fleet
