#pragma once

/// What a request may name: a model, or a model with one of its LoRA adapters, which is listed as a model of its own.

#include <optional>
#include <string>

#include "gateway/backends/catalogue.hpp"

namespace gateway::api {

struct NamedModel : backends::ModelStatus {
    /// Which of `adapters`; none: the model alone.
    std::optional<std::size_t> adapter;

    /// What answers, lists and metrics call it: "MODEL", or "MODEL:ADAPTER".
    std::string id() const;
};

std::string id_of_adapter(const backends::ModelStatus& model, std::size_t adapter);

/// By "MODEL", by "MODEL:ADAPTER", or by the name of an adapter alone, where no other model or adapter has it.
std::optional<NamedModel> find_named(const backends::Catalogue& catalogue, const backends::ModelName& name);

}  // namespace gateway::api
