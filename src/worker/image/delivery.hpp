#pragma once

/// One thread that does, in order, what is posted to it: encoding files and handing out events. It keeps both off the
/// drawing thread, which goes on with the next picture meanwhile, and makes the order of a job's events plain: the
/// order of posting.

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace worker::image {

class Delivery {
public:
    Delivery();
    /// Does what was posted before, then ends.
    ~Delivery();
    Delivery(const Delivery&) = delete;
    Delivery& operator=(const Delivery&) = delete;

    /// From any thread; never blocks.
    void post(std::move_only_function<void()> work);
    /// How much waits or is being done; for leaving out what is not needed when it cannot keep up.
    std::size_t backlog() const;

private:
    void run();

    mutable std::mutex mutex_;
    std::condition_variable posted_;
    std::deque<std::move_only_function<void()>> work_;
    bool busy_ = false;
    bool ending_ = false;
    std::jthread thread_;
};

}  // namespace worker::image
