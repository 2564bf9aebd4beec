#pragma once

/// Decimal numbers within bounds, of which llama.cpp's converter knows nothing. A schema gets a constant in the place of
/// such a number, and the grammar that is made of it gets the numbers in the place of the constant.

#include <json.h>

#include <optional>
#include <string>
#include <string_view>

namespace worker::engine::llama::schema {

/// The constant for a schema {"type": "number"} with bounds that are whole numbers, at most 15 digits long. Nothing for
/// other schemas.
std::optional<std::string> number_constant(const common_json& schema);

/// The grammar with its constants replaced.
std::string with_numbers(std::string grammar);

}  // namespace worker::engine::llama::schema
