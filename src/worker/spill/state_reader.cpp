#include "worker/spill/state_reader.hpp"

#include <sys/prctl.h>

#include <utility>

namespace worker::spill {

StateReader::StateReader(std::shared_ptr<StateFolder> folder, std::function<void()> on_read)
    : folder_(std::move(folder)), on_read_(std::move(on_read)) {
    reading_ = std::jthread([this](const std::stop_token& stop) { work(stop); });
}

StateReader::~StateReader() {
    reading_.request_stop();
    reading_.join();
}

void StateReader::request(const std::string& name) {
    const std::lock_guard lock(mutex_);
    wanted_[name];
    waiting_.push_back(name);
    changed_.notify_one();
}

std::optional<base::Result<StateReader::SharedState>> StateReader::take(const std::string& name) {
    const std::lock_guard lock(mutex_);
    const auto found = wanted_.find(name);
    if (found == wanted_.end() || !found->second) {
        return std::nullopt;
    }
    return std::move(wanted_.extract(found).mapped());
}

void StateReader::forget(const std::string& name) {
    const std::lock_guard lock(mutex_);
    wanted_.erase(name);
}

void StateReader::work(const std::stop_token& stop) {
    prctl(PR_SET_NAME, "unspill");
    while (true) {
        std::unique_lock lock(mutex_);
        if (!changed_.wait(lock, stop, [this] { return !waiting_.empty(); }) || stop.stop_requested()) {
            return;
        }
        const std::string name = std::move(waiting_.front());
        waiting_.pop_front();
        if (!wanted_.contains(name)) {
            continue;
        }
        lock.unlock();
        auto state = folder_->read(name);
        lock.lock();
        if (const auto found = wanted_.find(name); found != wanted_.end()) {
            found->second = std::move(state);
        }
        lock.unlock();
        if (on_read_) {
            on_read_();
        }
    }
}

}  // namespace worker::spill
