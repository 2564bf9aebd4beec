#include "gateway/fleet/runtime_folder.hpp"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

namespace gateway::fleet {
namespace {

constexpr std::string_view prefix = "llm-gateway-";
/// Leaves 40 of the 107 bytes of a socket's path to the folder's and the socket's names.
constexpr std::size_t longest_parent = 67;

std::vector<std::filesystem::path> candidates(const std::filesystem::path& parent) {
    if (!parent.empty()) {
        return {parent};
    }
    std::vector<std::filesystem::path> result;
    for (const char* name : {"RUNTIME_DIRECTORY", "XDG_RUNTIME_DIR", "TMPDIR"}) {
        if (const char* value = std::getenv(name); value != nullptr && *value == '/') {
            result.emplace_back(value);
        }
    }
    result.emplace_back("/tmp");
    return result;
}

int take_lock(const std::filesystem::path& folder, int flags) {
    const int descriptor = ::open((folder / "lock").c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | flags, 0600);
    if (descriptor >= 0 && ::flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
        ::close(descriptor);
        return -1;
    }
    return descriptor;
}

bool is_ours(const std::filesystem::path& folder) {
    struct stat status = {};
    return ::lstat(folder.c_str(), &status) == 0 && S_ISDIR(status.st_mode) && status.st_uid == ::geteuid();
}

void remove_abandoned(const std::filesystem::path& parent) {
    std::error_code failure;
    std::vector<std::filesystem::path> abandoned;
    for (const auto& entry : std::filesystem::directory_iterator(parent, failure)) {
        if (entry.path().filename().string().starts_with(prefix) && is_ours(entry.path())) {
            abandoned.push_back(entry.path());
        }
    }
    for (const auto& folder : abandoned) {
        if (const int lock = take_lock(folder, 0); lock >= 0) {
            std::filesystem::remove_all(folder, failure);
            ::close(lock);
        }
    }
}

}  // namespace

base::Result<RuntimeFolder> RuntimeFolder::make(const std::filesystem::path& parent) {
    std::string problem = "its path is too long";
    for (const auto& candidate : candidates(parent)) {
        if (candidate.string().size() > longest_parent) {
            continue;
        }
        std::string pattern = candidate / (std::string(prefix) + "XXXXXX");
        if (::mkdtemp(pattern.data()) == nullptr) {
            problem = std::strerror(errno);
            continue;
        }
        const int lock = take_lock(pattern, O_CREAT);
        remove_abandoned(candidate);
        return RuntimeFolder(pattern, lock);
    }
    return base::fail(base::ErrorCode::unavailable, "No folder for the workers' sockets: " + problem);
}

RuntimeFolder::RuntimeFolder(RuntimeFolder&& other) noexcept
    : path_(std::exchange(other.path_, {})), lock_(std::exchange(other.lock_, -1)) {}

RuntimeFolder::~RuntimeFolder() {
    if (!path_.empty()) {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    if (lock_ >= 0) {
        ::close(lock_);
    }
}

}  // namespace gateway::fleet
