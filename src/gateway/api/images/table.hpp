#pragma once

/// The rows of the table of endpoints that go on from pictures, or hand them out.

#include <vector>

#include "gateway/api/endpoint.hpp"

namespace gateway::api::images {

std::vector<Endpoint> make_picture_endpoints();

}  // namespace gateway::api::images
