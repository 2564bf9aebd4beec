#pragma once

/// How faults are worded: what was given, shortened; lists of names; the name that was probably meant. For the sources
/// of this folder.

#include "schema/shape.hpp"

#include <boost/json/value.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace schema {

/// `"text"` with quotes and escapes, cut after `longest` characters.
std::string quoted(std::string_view text, std::size_t longest = 40);
/// What was given, to be shown in a fault: `7`, `"abc"`, `an array`.
std::string shown(const Value& value);
/// "a string", "an array or null".
std::string describe(Kinds kinds);
Kinds kind_of(const Value& value);
/// `"a", "b" or "c"`.
std::string alternatives(std::span<const std::string> names);
/// The name with the smallest edit distance, when it is near enough to be meant.
std::optional<std::string> nearest(std::string_view given, std::span<const std::string> names);

/// "must be a string, not a number (7)"; without the 7 when the shape is secret.
void fault_type(const Reading& reading, const Shape& wanted, const Value& given);
/// `must be one of "a" or "b", not "c"`.
void fault_choice(const Reading& reading, std::span<const std::string> names, const Value& given);

}  // namespace schema
