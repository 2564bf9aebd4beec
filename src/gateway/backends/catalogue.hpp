#pragma once

/// What models there are and how they are, as the endpoints and the health pages see it.

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "gateway/backends/backend.hpp"

namespace gateway::backends {

enum class ModelKind { text, image };

enum class ModelState {
    loading,     ///< the worker runs and loads the model
    ready,       ///< takes jobs
    restarting,  ///< the worker died; a new one starts after a backoff
    draining,    ///< the gateway is ending
    failed,  ///< the model cannot be loaded; `problem` says why; tried again when its file changes, or after minutes
};

struct ModelStatus {
    ModelName name;
    ModelKind kind = ModelKind::text;
    ModelState state = ModelState::loading;
    /// Known once the model has been ready; kept over restarts.
    std::optional<llm_gateway::engine::v1::ModelFacts> facts;
    /// When the model file was last written, as OpenAI's `created`.
    std::chrono::system_clock::time_point created;
    /// With `restarting` and `loading`: when trying again makes sense.
    std::optional<std::chrono::seconds> retry_after;
    std::string problem;

    /// A LoRA adapter that requests may name. What became of it when it was loaded is in the facts, at the same place.
    struct Adapter {
        std::string name;
        float scale = 1;
        /// When its file was last written.
        std::chrono::system_clock::time_point created = {};
    };
    /// In the order of the configuration.
    std::vector<Adapter> adapters = {};
};

class Catalogue {
public:
    virtual ~Catalogue() = default;
    /// In the order of the configuration.
    virtual std::vector<ModelStatus> models() const = 0;
    /// Empty when no model has this name.
    virtual std::optional<ModelStatus> find(const ModelName& name) const = 0;
    /// For requests that name none: the model of the kind that is configured as the default, or else the first one.
    virtual std::optional<ModelName> default_model(ModelKind kind) const = 0;
};

}  // namespace gateway::backends
