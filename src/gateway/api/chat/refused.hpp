#pragma once

#include "schema/object.hpp"

namespace gateway::api::chat {

/// A field that OpenAI or another server has and that is refused by name, whatever it holds: ignoring it would change
/// the answer. Documented as null, the one value that means nothing. The complaint is the check of the field.
struct Refused {};

const schema::Shape& describe(schema::Type<Refused>);

}  // namespace gateway::api::chat
