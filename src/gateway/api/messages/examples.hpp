#pragma once

#include "gateway/api/examples.hpp"

namespace gateway::api::messages {

Examples examples();

}  // namespace gateway::api::messages
