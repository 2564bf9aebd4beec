#pragma once

#include "gateway/backends/catalogue.hpp"
#include "http/message.hpp"

namespace gateway::api::models {

/// GET /v1/models.
http::Response list(const backends::Catalogue& catalogue);

/// GET /v1/models/{model}; a name may contain slashes.
http::Response show(const backends::Catalogue& catalogue, const http::Request& request);

}  // namespace gateway::api::models
