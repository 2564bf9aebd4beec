#pragma once

/// What endpoints about tokens have in common: one question to a model, which it answers without evaluating anything.

#include <optional>

#include "gateway/api/job_run.hpp"

namespace gateway::api::tokens {

/// The tokens of a TokensJob. When there are none, the reason has been sent as the answer, and nothing is returned. The
/// job's id is given here.
http::asio::awaitable<std::optional<llm_gateway::engine::v1::TokensResult>> ask(http::Exchange& exchange,
                                                                                const Services& services,
                                                                                JobLabels labels, backends::Job job);

}  // namespace gateway::api::tokens
