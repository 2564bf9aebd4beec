#include "gateway/store/store.hpp"

#include <pthread.h>

#include "base/log.hpp"

namespace gateway::store {
namespace {

/// Between two looks for entries that are too old.
constexpr auto expiry_interval = std::chrono::seconds(60);

std::int64_t unix_time() {
    return std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch())
        .count();
}

void expire(Shelf& shelf) {
    if (auto done = shelf.expire(unix_time()); !done)
        base::log::warning("old entries of the store stay", {{"error", done.error().message}});
}

}  // namespace

base::Result<std::unique_ptr<Store>> Store::open(const StoreOptions& options, backends::Executor& executor) {
    auto shelf = Shelf::open(options.folder, options.bounds);
    if (!shelf)
        return std::unexpected(shelf.error());
    expire(*shelf);
    return std::unique_ptr<Store>(new Store(*std::move(shelf), options, executor));
}

Store::Store(Shelf shelf, const StoreOptions& options, backends::Executor& executor)
    : executor_(executor),
      bounds_(options.bounds),
      max_waiting_(options.max_waiting),
      shelf_(std::move(shelf)),
      size_(shelf_.size()),
      thread_([this] { work(); }) {
    ::pthread_setname_np(thread_.native_handle(), "store");
}

Store::~Store() {
    {
        const std::lock_guard lock(mutex_);
        ending_ = true;
    }
    arrival_.notify_one();
    thread_.join();
}

Size Store::size() const {
    const std::lock_guard lock(mutex_);
    return size_;
}

base::Error Store::busy() {
    return {.code = base::ErrorCode::busy,
            .message = "The store has more to do than it can keep up with.",
            .param = {},
            .retry_after = {}};
}

void Store::hand_over(Job job) {
    {
        const std::lock_guard lock(mutex_);
        if (waiting_.size() < max_waiting_) {
            waiting_.push_back(std::move(job));
            job = nullptr;
        }
    }
    if (job) {
        job(nullptr);
        return;
    }
    arrival_.notify_one();
}

void Store::work() {
    auto next_expiry = std::chrono::steady_clock::now() + expiry_interval;
    std::unique_lock lock(mutex_);
    while (true) {
        arrival_.wait_until(lock, next_expiry, [&] { return ending_ || !waiting_.empty(); });
        const bool expiry_due = std::chrono::steady_clock::now() >= next_expiry;
        if (waiting_.empty() && ending_)
            return;
        Job job;
        if (!waiting_.empty()) {
            job = std::move(waiting_.front());
            waiting_.pop_front();
        }
        lock.unlock();
        if (job)
            job(&shelf_);
        if (expiry_due) {
            expire(shelf_);
            next_expiry = std::chrono::steady_clock::now() + expiry_interval;
        }
        lock.lock();
        size_ = shelf_.size();
    }
}

}  // namespace gateway::store
