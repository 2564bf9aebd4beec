#pragma once

#include <expected>
#include <string>
#include <string_view>

#include "gateway/api/embeddings/types.hpp"
#include "gateway/backends/backend.hpp"

namespace gateway::api::embeddings {

/// The id is left to the caller. Pure. `facts`, when known, are those of the model: what it cannot do is a fault.
std::expected<backends::Job, schema::Faults> to_job(const Request& request,
                                                    const llm_gateway::engine::v1::ModelFacts* facts);

/// The name that a field of the job has in a request with one input, and in one with a list of them.
std::string to_path_of_one(std::string_view job_path);
std::string to_path_of_many(std::string_view job_path);
/// Whether the request has a list of inputs.
bool has_many(const Request& request);

}  // namespace gateway::api::embeddings
