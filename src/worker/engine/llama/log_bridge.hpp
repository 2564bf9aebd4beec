#pragma once

/// llama.cpp's own log lines: into ours at debug level. Its first error is kept, to be told to the operator; the later
/// ones only say that something failed.

#include <string>

namespace worker::engine::llama {

void bridge_log();
/// Since the last call; empty when there was none.
std::string take_first_error();

}  // namespace worker::engine::llama
