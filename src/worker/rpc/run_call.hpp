#pragma once

/// One `Run` call: the events a job produces become messages on the stream, in order, however slowly the peer reads.

#include <grpcpp/server_context.h>
#include <grpcpp/support/server_callback.h>

#include <deque>
#include <functional>
#include <memory>
#include <mutex>

#include "worker/rpc/job_runner.hpp"

namespace worker::rpc {

/// Lives until its job has ended and the last message is sent or cannot be sent; deletes itself then. The job's sink
/// may live longer; it holds the part the two share.
class RunCall final : public grpc::ServerWriteReactor<Event> {
public:
    struct Observer {
        /// The peer cancels, its deadline passes or its connection ends, and the job is still running.
        std::function<void()> on_peer_gone;
        /// The job has ended; the peer does not know yet.
        std::function<void()> on_job_ended;
        /// The call is over, and this object gone.
        std::function<void()> on_done;
    };

    /// The observer's functions are called from threads of gRPC, and of whoever produces the events.
    explicit RunCall(Observer observer);

    /// Where the job's events go. The call ends with the event that ends the job.
    std::shared_ptr<EventSink> sink();

    void OnWriteDone(bool ok) override;
    void OnCancel() override;
    void OnDone() override;

private:
    class Outbox;

    Observer observer_;
    std::shared_ptr<Outbox> outbox_;
};

}  // namespace worker::rpc
