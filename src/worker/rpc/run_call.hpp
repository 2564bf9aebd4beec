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
    /// `on_peer_gone` is called when the peer cancels, its deadline passes or its connection ends; `on_done` when the
    /// call is over, from the destructor's thread. Both from a thread of gRPC.
    RunCall(std::function<void()> on_peer_gone, std::function<void()> on_done);

    /// Where the job's events go. The call ends with the event that ends the job.
    std::shared_ptr<EventSink> sink();

    void OnWriteDone(bool ok) override;
    void OnCancel() override;
    void OnDone() override;

private:
    class Outbox;

    std::shared_ptr<Outbox> outbox_;
    std::function<void()> on_peer_gone_;
    std::function<void()> on_done_;
};

}  // namespace worker::rpc
