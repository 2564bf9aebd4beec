#pragma once

/// The option --adapters of the text worker.

#include <string_view>

#include "base/result.hpp"
#include "worker/engine/llama/load.hpp"

namespace worker {

/// "NAME,SCALE,SHA256,FILE", of which the third part may be empty; a comma is a part of FILE. Reads the file: one that
/// is not there, or is not the one of the digest, is the adapter's `problem`. Errors are those of the text.
base::Result<engine::llama::AdapterFile> adapter_of(std::string_view argument);

}  // namespace worker
