#pragma once

/// Turns a job into what the worker will say, before it says it. Pure: the same job gives the same script.

#include <chrono>
#include <variant>
#include <vector>

#include "engine.pb.h"

namespace scripted {

namespace contract = llm_gateway::engine::v1;

struct Crash {};
struct Hang {};

struct Step {
    std::chrono::milliseconds wait{0};
    std::variant<contract::Event, Crash, Hang> action;
};

/// From `queued` to the last event, a crash or a hang. Durations in the last event are filled in when it is played.
std::vector<Step> script_of(const contract::Job& job);

}  // namespace scripted
