#include "gateway/api/health/endpoint.hpp"

#include <algorithm>

#include "gateway/api/health/types.hpp"
#include "gateway/api/models/render.hpp"
#include "schema/schema.hpp"

namespace gateway::api::health {

http::Response live() {
    return http::json_response(schema::to_text(Live{.status = "ok"}));
}

http::Response ready(const backends::Catalogue& catalogue) {
    Ready answer;
    const auto models = catalogue.models();
    for (const auto& status : models) {
        ModelHealth& model = answer.models.emplace_back();
        model.id = status.name.value();
        model.state = models::to_string(status.state);
    }
    const bool all =
        std::ranges::all_of(models, [](const auto& status) { return status.state == backends::ModelState::ready; });
    answer.status = all ? "ready" : "not_ready";
    return http::json_response(schema::to_text(answer), all ? 200 : 503);
}

http::Response version(const std::vector<std::pair<std::string, std::string>>& engines) {
    return http::json_response(
        schema::to_text(Version{.version = LLM_GATEWAY_VERSION, .engines = {engines.begin(), engines.end()}}));
}

}  // namespace gateway::api::health
