#pragma once

#include <vector>

#include "gateway/api/endpoint.hpp"

namespace gateway::api::a1111 {

/// The rows of AUTOMATIC1111's API.
std::vector<Endpoint> make_endpoints();

}  // namespace gateway::api::a1111
