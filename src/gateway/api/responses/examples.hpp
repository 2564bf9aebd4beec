#pragma once

#include "gateway/api/examples.hpp"

namespace gateway::api::responses {

Examples create_examples();
Examples count_examples();
Examples stream_examples();

}  // namespace gateway::api::responses
