#pragma once

/// Looks at a LoRA adapter's file before llama.cpp does, which checks less: values of another type than it expects, or
/// tensors that do not go together, would end the process, some not before the adapter is used.

#include <llama.h>

#include <string>

#include "base/result.hpp"

namespace worker::engine::llama {

/// An error says in a few words what is wrong with the file, or why it does not fit the model. That tensors have the
/// sizes of the model's, and that their data is all there, llama.cpp checks.
base::Result<void> check_adapter(const std::string& file, const llama_model* model);

}  // namespace worker::engine::llama
