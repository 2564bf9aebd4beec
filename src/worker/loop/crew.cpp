#include "worker/loop/crew.hpp"

#include <sys/prctl.h>

namespace worker::loop {

Crew::Crew(std::size_t helpers) {
    threads_.reserve(helpers);
    for (std::size_t number = 0; number < helpers; ++number) {
        threads_.emplace_back([this](const std::stop_token& stop) { help(stop); });
    }
}

Crew::~Crew() = default;

void Crew::each(std::size_t count, const std::function<void(std::size_t)>& work) {
    if (threads_.empty() || count < 2) {
        for (std::size_t part = 0; part < count; ++part) {
            work(part);
        }
        return;
    }
    std::unique_lock lock(mutex_);
    work_ = &work;
    next_ = 0;
    count_ = count;
    unfinished_ = count;
    begun_.notify_all();
    take_parts(lock);
    done_.wait(lock, [this] { return unfinished_ == 0; });
    work_ = nullptr;
}

void Crew::take_parts(std::unique_lock<std::mutex>& lock) {
    while (next_ < count_) {
        const std::size_t part = next_++;
        const auto& work = *work_;
        lock.unlock();
        work(part);
        lock.lock();
        if (--unfinished_ == 0) {
            done_.notify_all();
        }
    }
}

void Crew::help(const std::stop_token& stop) {
    prctl(PR_SET_NAME, "sampling");
    std::unique_lock lock(mutex_);
    while (begun_.wait(lock, stop, [this] { return next_ < count_; })) {
        take_parts(lock);
    }
}

}  // namespace worker::loop
