#pragma once

/// Answers that the documentation shows.

#include <string_view>

#include "gateway/api/examples.hpp"

namespace gateway::api {

/// What the operation with this id answers with status 200 when it answers JSON; empty when it answers none.
Examples answer_examples(std::string_view operation);

}  // namespace gateway::api
