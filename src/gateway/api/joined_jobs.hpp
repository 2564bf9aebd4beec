#pragma once

/// Several jobs of one request, seen as one: a request with many prompts.
///
///   * Their answers are numbered through: answer c of job j is `choice` j * answers + c, `answers` being the same for
///     each job.
///   * `queued` and `started` come once; one `finished` comes at the end, with the sum of the usages.
///   * The first that fails ends all of them. `param` then begins with `jobs[j]`
///   * At most `at_once` are given to the backend at a time, so that one request does not fill the queue.

#include <memory>
#include <vector>

#include "gateway/backends/backend.hpp"

namespace gateway::api {

/// `jobs` is not empty; `backend` and `sink` must outlive the Submission.
std::unique_ptr<backends::Submission> submit_joined(backends::Backend& backend, const backends::ModelName& model,
                                                    std::vector<backends::Job> jobs, std::size_t at_once,
                                                    backends::EventSink& sink);

}  // namespace gateway::api
