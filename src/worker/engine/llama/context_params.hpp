#pragma once

/// What contexts of one worker have in common.

#include <llama.h>

#include "worker/engine/llama/load.hpp"

namespace worker::engine::llama {

/// Without sizes: those of the context, its sequences and its outputs are the caller's.
llama_context_params context_params(const Options& options);

}  // namespace worker::engine::llama
