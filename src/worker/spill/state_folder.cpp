#include "worker/spill/state_folder.hpp"

#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <charconv>
#include <utility>

#include "base/log.hpp"

namespace worker::spill {
namespace {

constexpr std::string_view extension = ".state";

}  // namespace

base::Result<std::unique_ptr<StateFolder>> StateFolder::open(std::filesystem::path folder, const Digest& key) {
    std::error_code problem;
    std::filesystem::create_directories(folder.parent_path(), problem);
    if (::mkdir(folder.c_str(), 0700) != 0 && !std::filesystem::is_directory(folder, problem)) {
        return base::fail(base::ErrorCode::unavailable, fmt::format("{} cannot be made", folder.string()));
    }
    struct stat status = {};
    if (::lstat(folder.c_str(), &status) != 0 || !S_ISDIR(status.st_mode) || status.st_uid != ::geteuid() ||
        (status.st_mode & 077) != 0) {
        return base::fail(base::ErrorCode::invalid,
                          fmt::format("{} must be a folder of this user that others cannot enter", folder.string()));
    }
    return std::unique_ptr<StateFolder>(new StateFolder(std::move(folder), key));
}

StateFolder::StateFolder(std::filesystem::path folder, const Digest& key) : folder_(std::move(folder)), key_(key) {
    look_around();
    writing_ = std::jthread([this](const std::stop_token& stop) { work(stop); });
}

StateFolder::~StateFolder() {
    writing_.request_stop();
    writing_.join();
}

// Only files that have names as ours are touched.
void StateFolder::look_around() {
    std::error_code problem;
    for (const auto& entry : std::filesystem::directory_iterator(folder_, problem)) {
        const auto& path = entry.path();
        std::uint64_t number = 0;
        const std::string stem = path.stem().string();
        const bool ours =
            path.extension() == extension &&
            std::from_chars(stem.data(), stem.data() + stem.size(), number).ptr == stem.data() + stem.size();
        if (path.extension() == ".part") {
            std::filesystem::remove(path, problem);
        }
        if (!ours) {
            continue;
        }
        next_ = std::max(next_, number + 1);
        auto state = describe_state(path, key_);
        if (state) {
            found_.push_back({.name = path.filename().string(), .state = std::move(*state)});
        } else {
            base::log::warning("a saved state is removed",
                               {{"file", path.string()}, {"reason", state.error().message}});
            std::filesystem::remove(path, problem);
        }
    }
    std::ranges::sort(found_, {}, [](const Found& each) { return std::stoull(each.name); });
}

std::string StateFolder::write(StateDescription description, SharedState state) {
    std::string name = fmt::format("{}{}", next_++, extension);
    const std::lock_guard lock(mutex_);
    writes_[name] = {.description = std::move(description), .state = std::move(state)};
    tasks_.push_back(name);
    changed_.notify_one();
    return name;
}

base::Result<StateFolder::SharedState> StateFolder::read(const std::string& name) {
    {
        const std::lock_guard lock(mutex_);
        if (const auto waiting = writes_.find(name); waiting != writes_.end()) {
            return waiting->second.state;
        }
    }
    auto state = read_state(folder_ / name, key_);
    if (!state) {
        return std::unexpected(state.error());
    }
    return std::make_shared<const engine::SavedState>(std::move(*state));
}

void StateFolder::remove(const std::string& name) {
    const std::lock_guard lock(mutex_);
    writes_.erase(name);
    tasks_.push_back(name);
    changed_.notify_one();
}

void StateFolder::work(const std::stop_token& stop) {
    prctl(PR_SET_NAME, "spill");
    while (true) {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, stop, [this] { return !tasks_.empty(); });
        if (tasks_.empty()) {
            return;
        }
        const std::string name = std::move(tasks_.front());
        tasks_.pop_front();
        const auto found = writes_.find(name);
        if (found == writes_.end()) {
            lock.unlock();
            std::error_code unimportant;
            std::filesystem::remove(folder_ / name, unimportant);
            continue;
        }
        const Write write = found->second;
        lock.unlock();
        if (const auto written = write_state(folder_ / name, key_, write.description, write.state->view()); !written) {
            base::log::warning("a state was not saved", {{"problem", written.error().message}});
        }
        lock.lock();
        writes_.erase(name);
    }
}

}  // namespace worker::spill
