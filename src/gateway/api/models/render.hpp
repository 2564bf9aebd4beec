#pragma once

#include <string_view>
#include <vector>

#include "gateway/api/models/types.hpp"
#include "gateway/api/named_model.hpp"

namespace gateway::api::models {

Model to_model(const NamedModel& model);
/// The model, and each of its adapters as a model.
std::vector<Model> to_models(const backends::ModelStatus& status);

std::string_view to_string(backends::ModelState state);

}  // namespace gateway::api::models
