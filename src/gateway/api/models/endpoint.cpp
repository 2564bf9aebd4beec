#include "gateway/api/models/endpoint.hpp"

#include "gateway/api/failure.hpp"
#include "gateway/api/models/render.hpp"
#include "http/errors.hpp"
#include "schema/schema.hpp"

namespace gateway::api::models {

http::Response list(const backends::Catalogue& catalogue) {
    ModelList models;
    for (const auto& status : catalogue.models())
        for (Model& model : to_models(status))
            models.data.push_back(std::move(model));
    return http::json_response(schema::to_text(models));
}

http::Response show(const backends::Catalogue& catalogue, const http::Request& request) {
    const backends::ModelName name(std::string(request.path_parameter("model")));
    const auto model = find_named(catalogue, name);
    if (!model)
        return http::error_response(unknown_model(name), request.id);
    return http::json_response(schema::to_text(to_model(*model)));
}

}  // namespace gateway::api::models
