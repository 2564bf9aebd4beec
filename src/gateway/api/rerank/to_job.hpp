#pragma once

#include <expected>
#include <string>
#include <string_view>

#include "gateway/api/rerank/types.hpp"
#include "gateway/backends/backend.hpp"

namespace gateway::api::rerank {

/// The id is left to the caller. Pure. `facts`, when known, are those of the model: one that cannot rank is a fault.
std::expected<backends::Job, schema::Faults> to_job(const Request& request,
                                                    const llm_gateway::engine::v1::ModelFacts* facts);

const std::string& text_of(const Document& document);

/// The name that a field of the job has in the request.
std::string to_request_path(std::string_view job_path);

}  // namespace gateway::api::rerank
