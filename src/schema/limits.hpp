#pragma once

/// The limits of `Options`, checked and documented: one pair of functions for each JSON type they speak about. For the
/// sources of this folder.

#include "schema/shape.hpp"

#include <boost/json/object.hpp>
#include <string>
#include <string_view>

namespace schema {

/// How a limit is written: 3600 seconds as "1h".
using Spelling = std::string (*)(double);

/// Whether the number is inside; else a fault. `given` is the value it was read from.
bool check_number(double number, const Options& options, const Reading& reading, const Value& given,
                  Spelling spelling = nullptr);
bool check_string(std::string_view text, const Options& options, const Reading& reading);
bool check_items(std::size_t count, const Options& options, const Reading& reading);

void document_number(boost::json::object& schema, const Options& options);
void document_string(boost::json::object& schema, const Options& options);
/// `array` or `object` decides between minItems and minProperties.
void document_items(boost::json::object& schema, const Options& options, Kinds kind);

/// An integer where the double is one, so that documents say `"minimum": 0`.
Value plain_number(double number);
/// The same schema, but null is fine as well.
boost::json::object or_null(boost::json::object schema);

}  // namespace schema
