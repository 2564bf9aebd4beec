#pragma once

/// Requests that the documentation shows and that tests send.

#include <string>
#include <utility>
#include <vector>

#include "schema/shape.hpp"

namespace gateway::api {

using Examples = std::vector<std::pair<std::string, schema::Value>>;

Examples chat_examples();
Examples image_examples();

}  // namespace gateway::api
