#pragma once

#include <expected>
#include <string>
#include <string_view>

#include "gateway/api/tokens/types.hpp"
#include "gateway/backends/backend.hpp"

namespace gateway::api::tokens {

/// The ids are left to the caller. Pure. `facts`, when known, are those of the model.
std::expected<backends::Job, schema::Faults> to_job(const TokenizeRequest& request,
                                                    const llm_gateway::engine::v1::ModelFacts* facts);
backends::Job to_job(const DetokenizeRequest& request);
/// For the tokens of what another job would evaluate: its chat.
backends::Job to_tokens_job(llm_gateway::engine::v1::Chat chat);

/// The names that fields of the job have in the requests.
std::string to_tokenize_path(std::string_view job_path);
std::string to_detokenize_path(std::string_view job_path);

}  // namespace gateway::api::tokens
