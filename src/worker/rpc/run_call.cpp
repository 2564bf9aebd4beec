#include "worker/rpc/run_call.hpp"

#include <utility>

namespace worker::rpc {

// Two threads meet here: the one that produces events and gRPC's, which reports that a message has left. The lock is
// never held while gRPC is called: it may run its callbacks inside that call.
class RunCall::Outbox final : public EventSink {
public:
    Outbox(RunCall& call, std::function<void()> on_job_ended) : call_(call), on_job_ended_(std::move(on_job_ended)) {}

    void on_event(Event event) override {
        if (event.has_finished() || event.has_failed()) {
            on_job_ended_();
        }
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

    bool ended() {
        const std::lock_guard lock(mutex_);
        return ended_;
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
    const std::function<void()> on_job_ended_;
};

RunCall::RunCall(Observer observer)
    : observer_(std::move(observer)), outbox_(std::make_shared<Outbox>(*this, observer_.on_job_ended)) {}

std::shared_ptr<EventSink> RunCall::sink() {
    return outbox_;
}

void RunCall::OnWriteDone(bool ok) {
    outbox_->on_written(ok);
}

void RunCall::OnCancel() {
    if (!outbox_->ended()) {
        observer_.on_peer_gone();
    }
}

void RunCall::OnDone() {
    const auto done = std::move(observer_.on_done);
    delete this;
    done();
}

}  // namespace worker::rpc
