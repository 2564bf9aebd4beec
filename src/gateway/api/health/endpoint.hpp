#pragma once

#include <string>
#include <utility>
#include <vector>

#include "gateway/backends/catalogue.hpp"
#include "http/message.hpp"

namespace gateway::api::health {

/// GET /health/live: 200 whenever the gateway can answer at all.
http::Response live();

/// GET /health/ready: 200 when every configured model takes requests, else 503; the body lists them either way.
http::Response ready(const backends::Catalogue& catalogue);

/// GET /version.
http::Response version(const std::vector<std::pair<std::string, std::string>>& engines);

}  // namespace gateway::api::health
