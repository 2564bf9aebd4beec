#pragma once

/// What can run a job. A local worker is a Backend, a remote cluster is a Backend, and the dispatcher is a Backend that
/// chooses among Backends; decorators (a cache, a failover) are Backends around Backends.
///
/// Everything here happens on the gateway's one thread. `submit` never blocks and never throws.

#include <memory>

#include "base/strong_id.hpp"
#include "engine.pb.h"

namespace gateway::backends {

using ModelName = base::StrongId<struct ModelNameTag>;
using Job = llm_gateway::engine::v1::Job;
using Event = llm_gateway::engine::v1::Event;

/// Receives a job's events in order. The last one is `finished` or `failed`, exactly once; nothing follows it.
class EventSink {
public:
    virtual ~EventSink() = default;
    /// Called on the gateway's thread. May destroy the Submission it belongs to.
    virtual void on_event(Event event) = 0;
};

/// A job under way. Destroying it cancels the job: the sink hears nothing more, and the engine stops within one step.
/// Destroying it after the last event costs nothing.
class Submission {
public:
    Submission() = default;
    Submission(const Submission&) = delete;
    Submission& operator=(const Submission&) = delete;
    virtual ~Submission() = default;
};

class Backend {
public:
    virtual ~Backend() = default;

    /// Takes the job to run on `model`. Every outcome, refusal included, arrives as an event at `sink`, never before
    /// `submit` has returned. `sink` must outlive the Submission.
    virtual std::unique_ptr<Submission> submit(const ModelName& model, Job job, EventSink& sink) = 0;
};

}  // namespace gateway::backends
