#pragma once

/// What a loaded model is, as the contract tells it.

#include <llama.h>

#include <string>

#include "engine.pb.h"
#include "worker/engine/kernels.hpp"
#include "worker/engine/llama/load.hpp"

namespace worker::engine::llama {

namespace contract = llm_gateway::engine::v1;

/// A value of the file's metadata as text; empty when it has none.
std::string metadata(const llama_model* model, const std::string& key);

/// Everything that does not depend on what the model is used for.
contract::ModelFacts facts_of(const llama_model* model, const Options& options, const Kernels& kernels);

}  // namespace worker::engine::llama
