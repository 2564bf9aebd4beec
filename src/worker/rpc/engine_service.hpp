#pragma once

/// The contract's service on top of a JobRunner that may not be there yet. Knows which jobs are alive.

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <set>
#include <string>

#include "engine.grpc.pb.h"
#include "worker/rpc/job_runner.hpp"

namespace worker::rpc {

class EngineService final : public contract::Engine::CallbackService {
public:
    /// From now on READY. `runner` must outlive the server that serves this.
    void ready(JobRunner& runner);
    /// From now on DRAINING: new jobs are refused with UNAVAILABLE.
    void drain();
    void set_load_progress(double fraction) { load_progress_ = fraction; }

    /// Returns when no call is alive. Call after `drain`.
    void wait_until_idle();

    grpc::ServerWriteReactor<Event>* Run(grpc::CallbackServerContext* call, const Job* job) override;
    grpc::ServerUnaryReactor* Cancel(grpc::CallbackServerContext* call, const contract::CancelRequest* request,
                                     contract::CancelReply* reply) override;
    grpc::ServerUnaryReactor* Health(grpc::CallbackServerContext* call, const contract::HealthRequest* request,
                                     contract::HealthReply* reply) override;
    grpc::ServerUnaryReactor* Statistics(grpc::CallbackServerContext* call, const contract::StatisticsRequest* request,
                                         contract::StatisticsReply* reply) override;
    grpc::ServerUnaryReactor* Facts(grpc::CallbackServerContext* call, const contract::FactsRequest* request,
                                    contract::ModelFacts* reply) override;

private:
    // The event that refuses the job, or nothing; with nothing the id is alive from now on.
    std::optional<Event> refusal(const Job& job);
    void end_job(const std::string& id);
    void end_call();

    std::atomic<JobRunner*> runner_ = nullptr;
    std::atomic<contract::HealthReply::State> state_ = contract::HealthReply::LOADING;
    std::atomic<double> load_progress_ = 0;

    // gRPC's threads meet here.
    std::mutex mutex_;
    std::condition_variable idle_;
    std::set<std::string, std::less<>> alive_;
    std::size_t calls_ = 0;
};

}  // namespace worker::rpc
