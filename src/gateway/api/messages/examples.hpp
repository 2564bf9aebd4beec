#pragma once

#include "gateway/api/examples.hpp"

namespace gateway::api::messages {

Examples examples();
Examples count_examples();
Examples stream_examples();

}  // namespace gateway::api::messages
