#pragma once

#include <vector>

#include "gateway/api/endpoint.hpp"

namespace gateway::api::chat {

/// The rows for kept completions.
std::vector<Endpoint> make_kept_endpoints();

}  // namespace gateway::api::chat
