#pragma once

#include <expected>
#include <string>
#include <string_view>

#include "gateway/api/images/types.hpp"
#include "gateway/backends/backend.hpp"

namespace gateway::api::images {

/// The work a request asks for; the id is left to the caller. Pure. `facts`, when known, are those of the model that
/// will do it: a size outside of its limits, an unknown sampler, scheduler or LoRA are faults that name what there is.
std::expected<backends::Job, schema::Faults> to_job(const Request& request,
                                                    const llm_gateway::engine::v1::ModelFacts* facts);

/// The name that a field of the job has in the request: where the worker blames the one, the client looks for the
/// other.
std::string to_request_path(std::string_view job_path);

}  // namespace gateway::api::images
