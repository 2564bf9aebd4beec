#pragma once

/// Two threads of which one works at a time: an owner, and a worker whose long computation the owner takes in turns with
/// work of its own, so that both never fight for the same cores.

#include <atomic>
#include <condition_variable>
#include <mutex>

#include "base/clock.hpp"

namespace worker::engine::llama {

class Turns {
public:
    // ---- for the owner

    /// Lets the worker work for about `time`, or until `abort`; returns when it hands back.
    void give(base::Duration time, const std::atomic<bool>& abort);
    /// What the worker computes is not wanted any more; returns when it has noticed.
    void withdraw();
    /// No turn will be given again.
    void end();

    // ---- for the worker

    /// Waits for a turn. False: there will be none.
    bool wait();
    /// What was to be computed is computed, or withdrawn.
    void hand_back();
    /// Asked now and then while computing: when the time is over the owner gets its turn, and this returns with the next
    /// one. False: stop computing.
    bool may_go_on();

private:
    enum class Whose { owner, worker };

    void give_turn();

    std::mutex mutex_;
    std::condition_variable changed_;
    Whose turn_ = Whose::owner;
    bool ended_ = false;
    // Of whoever has the turn.
    bool withdrawn_ = false;
    base::TimePoint until_ = base::TimePoint::max();
    const std::atomic<bool>* abort_ = nullptr;
};

}  // namespace worker::engine::llama
