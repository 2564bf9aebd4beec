#pragma once

#include <expected>
#include <string>
#include <string_view>

#include "gateway/api/chat/types.hpp"
#include "gateway/backends/backend.hpp"

namespace gateway::api::chat {

/// The work a request asks for; the id is left to the caller. Pure. `facts`, when known, are those of the model that
/// will do it: what it cannot do is a fault. So is what no table can see: pictures that are not base64, addresses that
/// would have to be fetched.
std::expected<backends::Job, schema::Faults> to_job(const Request& request,
                                                    const llm_gateway::engine::v1::ModelFacts* facts);

/// The name that a field of the job has in the request: where the worker blames the one, the client looks for the
/// other. `format_path` is where the request says which form the answer must have, when it does.
std::string to_request_path(std::string_view job_path, std::string_view format_path = "response_format");

}  // namespace gateway::api::chat
