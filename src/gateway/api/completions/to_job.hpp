#pragma once

#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "gateway/api/completions/types.hpp"
#include "gateway/backends/backend.hpp"

namespace gateway::api::completions {

/// A job for each prompt, in order; the ids are left to the caller. Pure. `facts`, when known, are those of the model
/// that will do it: what it cannot do is a fault.
std::expected<std::vector<backends::Job>, schema::Faults> to_jobs(const Request& request,
                                                                  const llm_gateway::engine::v1::ModelFacts* facts);

/// The name that a field of the job has in the request.
/// `format_path` is where the request says which form the answer must have, when it does.
std::string to_request_path(std::string_view job_path, std::string_view format_path = "response_format");
std::string format_path_of(const Request& request);

}  // namespace gateway::api::completions
