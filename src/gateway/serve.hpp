#pragma once

/// `llm-gateway serve`: builds every part, connects them, and runs until a signal ends it. The wiring diagram.

#include "gateway/config/settings.hpp"

namespace gateway {

/// Returns the exit status of the program. SIGTERM and SIGINT let accepted requests finish first; a second one ends at
/// once.
int serve(const config::Settings& settings);

}  // namespace gateway
