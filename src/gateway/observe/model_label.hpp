#pragma once

/// The value of the label `model`: bounded, because clients may write any name into a request.

#include <string>
#include <string_view>

#include "gateway/api/named_model.hpp"

namespace gateway::observe {

/// The name itself when it is a configured model's, or of one with an adapter "MODEL:ADAPTER"; else "unknown".
inline std::string model_label(const backends::Catalogue& catalogue, std::string_view model) {
    const auto named = api::find_named(catalogue, backends::ModelName{std::string(model)});
    return named ? named->id() : "unknown";
}

}  // namespace gateway::observe
