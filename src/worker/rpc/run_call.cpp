#include "worker/rpc/run_call.hpp"

#include <utility>

namespace worker::rpc {

// Two threads meet here: the one that produces events and gRPC's, which reports that a message has left. The lock is
// never held while gRPC is called: it may run its callbacks inside that call.
class RunCall::Outbox final : public EventSink {
public:
    explicit Outbox(RunCall& call) : call_(call) {}

    void on_event(Event event) override {
        {
            const std::lock_guard lock(mutex_);
            if (ended_) {
                return;
            }
            ended_ = event.has_finished() || event.has_failed();
            if (peer_gone_ && !ended_) {
                return;
            }
            waiting_.push_back(std::move(event));
            if (writing_) {
                return;
            }
            writing_ = true;
        }
        write_next();
    }

    void on_written(bool ok) {
        {
            const std::lock_guard lock(mutex_);
            if (!ok) {
                peer_gone_ = true;
                if (!waiting_.empty()) {
                    waiting_.erase(waiting_.begin(), ended_ ? std::prev(waiting_.end()) : waiting_.end());
                }
            }
            if (waiting_.empty()) {
                writing_ = false;
                return;
            }
        }
        write_next();
    }

private:
    // `writing_` is true here, so nobody else starts a write and the call cannot end: `call_` is alive.
    void write_next() {
        bool last = false;
        {
            const std::lock_guard lock(mutex_);
            current_ = std::move(waiting_.front());
            waiting_.pop_front();
            last = ended_ && waiting_.empty();
        }
        if (last) {
            call_.StartWriteAndFinish(&current_, grpc::WriteOptions(), grpc::Status::OK);
        } else {
            call_.StartWrite(&current_);
        }
    }

    std::mutex mutex_;
    std::deque<Event> waiting_;
    Event current_;  // owned by gRPC while `writing_`
    bool writing_ = false;
    bool ended_ = false;
    bool peer_gone_ = false;
    RunCall& call_;
};

RunCall::RunCall(std::function<void()> on_peer_gone, std::function<void()> on_done)
    : outbox_(std::make_shared<Outbox>(*this)), on_peer_gone_(std::move(on_peer_gone)), on_done_(std::move(on_done)) {}

std::shared_ptr<EventSink> RunCall::sink() {
    return outbox_;
}

void RunCall::OnWriteDone(bool ok) {
    outbox_->on_written(ok);
}

void RunCall::OnCancel() {
    on_peer_gone_();
}

void RunCall::OnDone() {
    const auto done = std::move(on_done_);
    delete this;
    done();
}

}  // namespace worker::rpc
