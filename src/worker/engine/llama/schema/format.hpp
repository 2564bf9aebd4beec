#pragma once

/// The formats of strings and numbers that a grammar can hold.

#include <optional>
#include <string_view>

#include "worker/engine/llama/schema/numbers.hpp"

namespace worker::engine::llama::schema {

/// A regular expression for the strings of a format; narrower than the format where that is simpler. Empty for a format
/// that says nothing about the text, nothing for an unknown one.
std::optional<std::string_view> pattern_of_format(std::string_view format);

/// The range of numbers of a format like `int32`.
std::optional<Numbers> numbers_of_format(std::string_view format);

}  // namespace worker::engine::llama::schema
