#pragma once

/// A worker process as a Backend: the gateway's end of proto/engine.proto over a Unix socket.
///
/// Two kinds of threads meet here. gRPC calls back on threads of its own; those callbacks do nothing but post to the
/// executor. All the rest, sinks included, happens on the gateway's thread, so users need no locks.
///
/// Who lives how long: a call that gRPC knows about owns itself until gRPC says it is done, whoever lost interest
/// before. A Submission may therefore be dropped at any time. The WorkerBackend waits in its destructor until gRPC has
/// let go of every call, so nothing is posted to the executor afterwards; after `close` that takes no noticeable time.

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "base/clock.hpp"
#include "base/result.hpp"
#include "gateway/backends/backend.hpp"
#include "gateway/backends/executor.hpp"

namespace gateway::backends {

class WorkerBackend final : public Backend {
public:
    using HealthReply = llm_gateway::engine::v1::HealthReply;
    using StatisticsReply = llm_gateway::engine::v1::StatisticsReply;
    using ModelFacts = llm_gateway::engine::v1::ModelFacts;
    template <typename Reply>
    using Answer = std::move_only_function<void(base::Result<Reply>)>;

    /// Connects to the worker that listens, or will listen, on the Unix socket at `socket_path`. Does not wait for it.
    /// `executor` must outlive this.
    WorkerBackend(const std::string& socket_path, Executor& executor);
    /// Jobs still under way are cancelled; their sinks hear nothing more.
    ~WorkerBackend() override;

    /// The worker has one model, so `model` is not looked at. A stream that breaks is `Failed{UNAVAILABLE}`: the worker
    /// is gone. Whether the job may run again is for the dispatcher to say, who knows how far it had come.
    std::unique_ptr<Submission> submit(const ModelName& model, Job job, EventSink& sink) override;

    /// Each `answer` is called once on the gateway's thread, unless the WorkerBackend ends before.
    void ask_health(base::Duration timeout, Answer<HealthReply> answer);
    void ask_statistics(base::Duration timeout, Answer<StatisticsReply> answer);
    void ask_facts(base::Duration timeout, Answer<ModelFacts> answer);

    /// For a worker that is known to be gone: breaks what is still open, so that every sink hears
    /// `Failed{UNAVAILABLE}`.
    void close();
    /// Calls that gRPC has not let go of yet.
    std::size_t open_calls() const;

private:
    struct Wire;
    std::shared_ptr<Wire> wire_;
};

}  // namespace gateway::backends
