#pragma once

/// What the worker's end of the contract asks of the thing that does the work. The text loop, the image worker and the
/// scripted worker of the tests are JobRunners; this folder knows none of them.

#include <memory>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "engine.pb.h"

namespace worker::rpc {

namespace contract = llm_gateway::engine::v1;
using contract::Event;
using contract::Job;

/// Receives the events of one job, in order: first `queued`, last `finished` or `failed`, exactly once.
/// May be called from any thread, one call at a time. Never blocks: what the peer does not read yet is kept.
class EventSink {
public:
    virtual ~EventSink() = default;
    virtual void on_event(Event event) = 0;
};

class JobRunner {
public:
    /// Ends what still runs; no sink hears anything after this.
    virtual ~JobRunner() = default;

    /// Takes the job and returns at once; refusals too arrive as events (possibly before `start` returns). The runner
    /// lets go of `sink` after the last event. No other job with this id is alive. Called from any thread.
    virtual void start(Job job, std::shared_ptr<EventSink> sink) = 0;

    /// The job stops within one step of the engine and its sink gets `failed` with CANCELLED, unless it ended already.
    /// False when no job has this id. Returns at once. Called from any thread.
    virtual bool cancel(std::string_view id) = 0;

    /// Answer within milliseconds at all times, also while a step runs; called from any thread. `state` and
    /// `load_progress` of the health are filled in by the caller.
    virtual contract::HealthReply health() const = 0;
    virtual contract::StatisticsReply statistics() const = 0;
    virtual contract::ModelFacts facts() const = 0;
};

/// The event that ends a job that did not work out.
Event failed(contract::ErrorCode code, std::string message, std::string param = {});
/// The same for an error of ours; a code the contract has no word for is INTERNAL.
Event failed(const base::Error& error);

}  // namespace worker::rpc
