#pragma once

/// A small JSON Schema validator for tests, written without any of the code under test: it reads the documents that we
/// publish the way a stranger would.

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

namespace schema {

/// Whether `value` obeys `schema`. Knows the keywords that our documents use; one that it does not know fails loudly.
/// `definitions` are what "#/components/schemas/..." refers to.
bool obeys(const boost::json::value& value, const boost::json::object& schema, const boost::json::object& definitions);

}  // namespace schema
