#pragma once

/// llama.cpp's own log lines: into ours at debug level. Its last error is kept, to be told to the operator.

#include <string>

namespace worker::engine::llama {

void bridge_log();
/// Since the last call; empty when there was none.
std::string take_last_error();

}  // namespace worker::engine::llama
