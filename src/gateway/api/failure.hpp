#pragma once

/// Why a request does not become an answer, as an Error that http/ can write.

#include <optional>
#include <string>

#include "base/result.hpp"
#include "gateway/api/named_model.hpp"

namespace gateway::api {

/// What a worker or the dispatcher said, in the gateway's words. The message of an internal failure is kept for the
/// log; http/ does not show it.
base::Error to_error(const llm_gateway::engine::v1::Failed& failed);

/// `not_found` for a name that nobody configured.
base::Error unknown_model(const backends::ModelName& name);

/// The model a request names, alone or with an adapter, or the first configured one of `kind` when it names none. Errors: not_found for a name
/// that nobody configured, unsupported for a model of the other kind, unavailable for one that is not ready to say what
/// it can do (`retry_after` set when known). `param` is always "model".
base::Result<NamedModel> find_model(const backends::Catalogue& catalogue, const std::optional<std::string>& name,
                                    backends::ModelKind kind);

}  // namespace gateway::api
