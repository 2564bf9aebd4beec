#include "worker/loop/cancellations.hpp"

#include <utility>

namespace worker::loop {

void Cancellations::request(std::string_view id) {
    const std::lock_guard lock(mutex_);
    requested_.emplace(id);
    if (const auto found = in_step_.find(id); found != in_step_.end()) {
        in_step_.erase(found);
        abort_ = in_step_.empty();
    }
}

void Cancellations::forget(std::string_view id) {
    const std::lock_guard lock(mutex_);
    if (const auto found = requested_.find(id); found != requested_.end()) {
        requested_.erase(found);
    }
}

bool Cancellations::requested(std::string_view id) const {
    const std::lock_guard lock(mutex_);
    return requested_.contains(id);
}

void Cancellations::step_begins(std::set<std::string, std::less<>> ids) {
    const std::lock_guard lock(mutex_);
    in_step_ = std::move(ids);
    for (const std::string& id : requested_) {
        in_step_.erase(id);
    }
    abort_ = in_step_.empty();
}

void Cancellations::step_ends() {
    const std::lock_guard lock(mutex_);
    in_step_.clear();
    abort_ = false;
}

}  // namespace worker::loop
