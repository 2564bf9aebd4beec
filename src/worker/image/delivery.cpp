#include "worker/image/delivery.hpp"

#include <utility>

namespace worker::image {

Delivery::Delivery() : thread_([this] { run(); }) {}

Delivery::~Delivery() {
    const std::lock_guard lock(mutex_);
    ending_ = true;
    posted_.notify_one();
}

void Delivery::post(std::move_only_function<void()> work) {
    const std::lock_guard lock(mutex_);
    work_.push_back(std::move(work));
    posted_.notify_one();
}

std::size_t Delivery::backlog() const {
    const std::lock_guard lock(mutex_);
    return work_.size() + (busy_ ? 1 : 0);
}

void Delivery::run() {
    std::unique_lock lock(mutex_);
    while (true) {
        posted_.wait(lock, [this] { return ending_ || !work_.empty(); });
        if (work_.empty()) {
            return;
        }
        auto work = std::move(work_.front());
        work_.pop_front();
        busy_ = true;
        lock.unlock();
        work();
        work = nullptr;
        lock.lock();
        busy_ = false;
    }
}

}  // namespace worker::image
