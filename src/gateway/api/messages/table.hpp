#pragma once

#include <vector>

#include "gateway/api/endpoint.hpp"

namespace gateway::api::messages {

/// The rows of Anthropic's Messages API.
std::vector<Endpoint> make_endpoints();

}  // namespace gateway::api::messages
