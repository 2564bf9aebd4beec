#pragma once

/// What an order becomes in the loop: a job and a run for each of its answers. Pure.

#include <memory>
#include <vector>

#include "worker/engine/engine.hpp"
#include "worker/loop/run.hpp"

namespace worker::loop {

/// `number`: how many jobs came before.
std::shared_ptr<JobInLoop> job_of(TextOrder& order, std::uint64_t number, const engine::Limits& limits);

/// A bug, or no memory.
base::Error engine_failed();
/// The engine could not even hold the prompt of this job and one more token; in OpenAI's words, that clients look for.
base::Error too_long(const JobInLoop& job, const engine::Limits& limits);

/// The answers of the job that the order became.
std::vector<std::unique_ptr<Run>> runs_of(TextOrder order, const std::shared_ptr<JobInLoop>& job);

}  // namespace worker::loop
