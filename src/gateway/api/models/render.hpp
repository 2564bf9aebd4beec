#pragma once

#include <string_view>

#include "gateway/api/models/types.hpp"
#include "gateway/backends/catalogue.hpp"

namespace gateway::api::models {

Model to_model(const backends::ModelStatus& status);

std::string_view to_string(backends::ModelState state);

}  // namespace gateway::api::models
