#pragma once

/// What is printed when the gateway listens: where it is, what it serves, and a line to try it with.

#include <string>

#include "gateway/config/settings.hpp"

namespace gateway {

/// `port` is the one in use, which the settings may have left to the system.
std::string welcome(const config::Settings& settings, std::uint16_t port);

/// Whether anybody who reaches the host may use the models: the address is not of this machine alone, and no key is
/// asked.
bool is_open_to_everybody(const config::Server& server);

}  // namespace gateway
