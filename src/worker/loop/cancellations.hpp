#pragma once

/// Wishes to cancel, from any thread, for the loop to fulfil between steps; and the order to stop the running step when
/// all jobs in it are cancelled.

#include <atomic>
#include <functional>
#include <mutex>
#include <set>
#include <string>
#include <string_view>

namespace worker::loop {

class Cancellations {
public:
    /// From any thread.
    void request(std::string_view id);
    /// The job is over; a wish that came too late is forgotten. From any thread; who calls sees to it that no request
    /// follows.
    void forget(std::string_view id);
    bool requested(std::string_view id) const;

    /// For the loop: a step with these jobs is about to run.
    void step_begins(std::set<std::string, std::less<>> ids);
    void step_ends();

    /// True while the running step serves nobody any more.
    const std::atomic<bool>& abort() const { return abort_; }

private:
    mutable std::mutex mutex_;
    std::set<std::string, std::less<>> requested_;
    std::set<std::string, std::less<>> in_step_;
    std::atomic<bool> abort_ = false;
};

}  // namespace worker::loop
