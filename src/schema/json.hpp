#pragma once

/// JSON text to value and back. Stricter than most readers, as two programs that read one body differently are a hole:
/// a key twice, invalid UTF-8, anything after the value, and too deep nesting are faults.

#include "schema/fault.hpp"

#include <boost/json/value.hpp>
#include <expected>
#include <string>
#include <string_view>

namespace schema {

/// The first fault ends the reading, except that every duplicate key is listed. Never throws for input.
std::expected<boost::json::value, Faults> read_json(std::string_view text, std::size_t max_depth = 64);

/// Compact text. Strings are valid UTF-8 when they came from `read_json`.
std::string write_json(const boost::json::value& value);
/// With two spaces of indentation and a line end, for files people read.
std::string write_json_indented(const boost::json::value& value);

}  // namespace schema
