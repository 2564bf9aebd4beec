#pragma once

/// All endpoints of the gateway in one table (endpoints.cpp), from which both the routes and the OpenAPI document come:
/// what is served is what is documented.

#include <functional>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "gateway/api/keeping.hpp"
#include "gateway/api/observer.hpp"
#include "gateway/backends/backend.hpp"
#include "gateway/backends/catalogue.hpp"
#include "http/router.hpp"

namespace gateway::api::a1111 {
class Choices;
}
namespace gateway::api::responses {
class Background;
}
namespace gateway::drawing {
class ImageJobs;
}

namespace gateway::api {

/// What the endpoints work with. Everything referred to must outlive the server that has the routes.
struct Services {
    backends::Backend& backend;
    const backends::Catalogue& catalogue;
    Observer& observer;
    const base::Clock& clock;
    /// The text of GET /metrics, in Prometheus' exposition format.
    std::function<std::string()> metrics;
    /// Versions shown by GET /version beside the gateway's own, e.g. {"llama.cpp", "0.3.36"}.
    std::vector<std::pair<std::string, std::string>> engine_versions;
    /// Responses that are made without a client who waits.
    responses::Background& background;
    Keeping keeping;
    /// The image jobs that `backend` runs.
    drawing::ImageJobs& image_jobs;
    /// What clients of AUTOMATIC1111's API have set.
    a1111::Choices& a1111_choices;
    PictureFiles picture_files = {};
};

std::vector<http::Route> routes(const Services& services);

/// The OpenAPI 3.2 document as JSON text; always the same for one version of the gateway.
const std::string& openapi_document();

}  // namespace gateway::api
