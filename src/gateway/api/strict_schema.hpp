#pragma once

/// What OpenAI asks of a JSON Schema that is sent with `strict`, so that what works here works there: the whole is an
/// object; every object has `additionalProperties: false` and requires all its properties; no `allOf`, `oneOf`, `not`, `if`
/// or dependencies.

#include <boost/json/object.hpp>

#include "schema/shape.hpp"

namespace gateway::api {

/// Complains at the first place, from the outside in, where `schema`, which is at `reading`, is not such a schema.
void check_strict_schema(const boost::json::object& schema, const schema::Reading& reading);

}  // namespace gateway::api
