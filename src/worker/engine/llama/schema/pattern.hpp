#pragma once

/// Regular expressions as JSON Schema has them (ECMA-262).

#include <string_view>

#include "base/result.hpp"
#include "worker/engine/llama/schema/expression.hpp"

namespace worker::engine::llama::schema {

/// The texts in which the pattern is found. `invalid` for what is no regular expression; `unsupported` for what has no
/// place in a grammar: references back, looking behind, word boundaries, Unicode properties, and looking ahead inside a
/// repetition.
base::Result<Expression> texts_with(Expressions& expressions, std::string_view pattern);

}  // namespace worker::engine::llama::schema
