#pragma once

/// The value of the label `model`: bounded, because clients may write any name into a request.

#include <string>
#include <string_view>

#include "gateway/backends/catalogue.hpp"

namespace gateway::observe {

/// The name itself when it is a configured model's, else "unknown".
inline std::string model_label(const backends::Catalogue& catalogue, std::string_view model) {
    const backends::ModelName name{std::string(model)};
    return catalogue.find(name).has_value() ? name.value() : "unknown";
}

}  // namespace gateway::observe
