#pragma once

/// A few threads that share the work of one step, and sleep otherwise.

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace worker::loop {

class Crew {
public:
    /// `helpers` threads beside the caller's; 0 is allowed.
    explicit Crew(std::size_t helpers);
    ~Crew();

    /// Calls work(0) … work(count - 1), each once, on this thread and the helpers, in any order, and returns when all
    /// are done. `work` must not throw. Waking the helpers takes some ten microseconds.
    void each(std::size_t count, const std::function<void(std::size_t)>& work);

    std::size_t helpers() const { return threads_.size(); }

private:
    void help(const std::stop_token& stop);
    void take_parts(std::unique_lock<std::mutex>& lock);

    std::mutex mutex_;
    std::condition_variable_any begun_;
    std::condition_variable_any done_;
    const std::function<void(std::size_t)>* work_ = nullptr;
    std::size_t next_ = 0;
    std::size_t count_ = 0;
    std::size_t unfinished_ = 0;
    std::vector<std::jthread> threads_;
};

}  // namespace worker::loop
