#pragma once

#include <expected>
#include <string>
#include <string_view>

#include "gateway/api/messages/types.hpp"
#include "gateway/backends/backend.hpp"

namespace gateway::api::messages {

/// The prompt of a conversation as a job has it. Faults are what no table can see: what the model of `facts` cannot do,
/// and files that cannot be read. `facts` may be null: then nothing is known about the model yet.
std::expected<llm_gateway::engine::v1::Chat, schema::Faults> to_chat(const Conversation& conversation,
                                                                     const llm_gateway::engine::v1::ModelFacts* facts);

/// The work a request asks for; the id is left to the caller. Pure.
std::expected<backends::Job, schema::Faults> to_job(const Request& request,
                                                    const llm_gateway::engine::v1::ModelFacts* facts);

/// Whether anything in the conversation is marked to be kept.
bool asks_to_keep(const Conversation& conversation);

/// The name that a field of the job has in the request.
std::string to_request_path(std::string_view job_path);

}  // namespace gateway::api::messages
