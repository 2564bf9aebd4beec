#pragma once

#include <vector>

#include "gateway/api/endpoint.hpp"

namespace gateway::api::responses {

/// The rows of the Responses API.
std::vector<Endpoint> make_endpoints();

}  // namespace gateway::api::responses
