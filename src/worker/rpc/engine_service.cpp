#include "worker/rpc/engine_service.hpp"

#include <optional>

#include "worker/rpc/run_call.hpp"

namespace worker::rpc {
namespace {

constexpr std::size_t longest_id = 128;

grpc::ServerUnaryReactor* answered(grpc::CallbackServerContext* call, const grpc::Status& status = grpc::Status::OK) {
    auto* reactor = call->DefaultReactor();
    reactor->Finish(status);
    return reactor;
}

grpc::Status still_loading() {
    return {grpc::StatusCode::UNAVAILABLE, "the model is still loading"};
}

}  // namespace

void EngineService::ready(JobRunner& runner) {
    runner_ = &runner;
    load_progress_ = 1;
    auto loading = contract::HealthReply::LOADING;
    state_.compare_exchange_strong(loading, contract::HealthReply::READY);
}

void EngineService::drain() {
    state_ = contract::HealthReply::DRAINING;
}

void EngineService::wait_until_idle() {
    std::unique_lock lock(mutex_);
    idle_.wait(lock, [this] { return calls_ == 0; });
}

std::optional<Event> EngineService::refusal(const Job& job) {
    const std::lock_guard lock(mutex_);
    ++calls_;
    switch (state_.load()) {
        case contract::HealthReply::READY: break;
        case contract::HealthReply::DRAINING: return failed(contract::UNAVAILABLE, "The worker is shutting down.");
        default: return failed(contract::UNAVAILABLE, "The model is still loading.");
    }
    if (job.id().empty() || job.id().size() > longest_id) {
        return failed(contract::INVALID, "A job needs an id of 1 to 128 bytes.", "id");
    }
    if (!alive_.insert(job.id()).second) {
        return failed(contract::INVALID, "Another job with this id is running.", "id");
    }
    return std::nullopt;
}

void EngineService::end_job(const std::string& id) {
    const std::lock_guard lock(mutex_);
    alive_.erase(id);
}

void EngineService::end_call() {
    const std::lock_guard lock(mutex_);
    if (--calls_ == 0) {
        idle_.notify_all();
    }
}

grpc::ServerWriteReactor<Event>* EngineService::Run(grpc::CallbackServerContext* /*call*/, const Job* job) {
    if (auto refused = refusal(*job)) {
        auto* reactor = new RunCall({.on_peer_gone = [] {}, .on_job_ended = [] {}, .on_done = [this] { end_call(); }});
        const auto sink = reactor->sink();
        Event queued;
        queued.mutable_queued()->set_position(1);  // 0 would say that the job has begun
        sink->on_event(std::move(queued));
        sink->on_event(std::move(*refused));
        return reactor;
    }
    auto* reactor = new RunCall({.on_peer_gone = [this, id = job->id()] { runner_.load()->cancel(id); },
                                 .on_job_ended = [this, id = job->id()] { end_job(id); },
                                 .on_done = [this] { end_call(); }});
    runner_.load()->start(*job, reactor->sink());
    return reactor;
}

grpc::ServerUnaryReactor* EngineService::Cancel(grpc::CallbackServerContext* call,
                                                const contract::CancelRequest* request, contract::CancelReply* reply) {
    JobRunner* runner = runner_;
    reply->set_found(runner != nullptr && runner->cancel(request->id()));
    return answered(call);
}

grpc::ServerUnaryReactor* EngineService::Health(grpc::CallbackServerContext* call,
                                                const contract::HealthRequest* /*request*/,
                                                contract::HealthReply* reply) {
    if (const JobRunner* runner = runner_) {
        *reply = runner->health();
    }
    reply->set_state(state_);
    reply->set_load_progress(load_progress_);
    return answered(call);
}

grpc::ServerUnaryReactor* EngineService::Statistics(grpc::CallbackServerContext* call,
                                                    const contract::StatisticsRequest* /*request*/,
                                                    contract::StatisticsReply* reply) {
    if (const JobRunner* runner = runner_) {
        *reply = runner->statistics();
    }
    return answered(call);
}

grpc::ServerUnaryReactor* EngineService::Facts(grpc::CallbackServerContext* call,
                                               const contract::FactsRequest* /*request*/, contract::ModelFacts* reply) {
    const JobRunner* runner = runner_;
    if (runner == nullptr) {
        return answered(call, still_loading());
    }
    *reply = runner->facts();
    return answered(call);
}

}  // namespace worker::rpc
