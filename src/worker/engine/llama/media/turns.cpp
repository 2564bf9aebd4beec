#include "worker/engine/llama/media/turns.hpp"

namespace worker::engine::llama {

void Turns::give(base::Duration time, const std::atomic<bool>& abort) {
    withdrawn_ = false;
    until_ = base::SteadyClock().now() + time;
    abort_ = &abort;
    give_turn();
    abort_ = nullptr;
}

void Turns::withdraw() {
    withdrawn_ = true;
    give_turn();
}

void Turns::give_turn() {
    std::unique_lock lock(mutex_);
    turn_ = Whose::worker;
    changed_.notify_all();
    changed_.wait(lock, [this] { return turn_ == Whose::owner; });
}

void Turns::end() {
    const std::lock_guard lock(mutex_);
    ended_ = true;
    changed_.notify_all();
}

bool Turns::wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return turn_ == Whose::worker || ended_; });
    return !ended_;
}

void Turns::hand_back() {
    const std::lock_guard lock(mutex_);
    turn_ = Whose::owner;
    changed_.notify_all();
}

bool Turns::may_go_on() {
    if (withdrawn_ || (abort_ != nullptr && abort_->load(std::memory_order_relaxed))) {
        return false;
    }
    if (base::SteadyClock().now() < until_) {
        return true;
    }
    hand_back();
    return wait() && !withdrawn_;
}

}  // namespace worker::engine::llama
