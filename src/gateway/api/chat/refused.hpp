#pragma once

#include <cstdint>
#include <optional>

#include "schema/object.hpp"

namespace gateway::api::chat {

/// A field that OpenAI or another server has and that is refused by name, whatever it holds: ignoring it would change
/// the answer. Documented as null, the one value that means nothing. The complaint is the check of the field.
struct Refused {};

/// All of them, and those of which only the value that changes nothing is taken.
struct RefusedFields {
    Refused any;
    std::optional<bool> off;
    std::optional<bool> on;
    std::optional<std::int32_t> number;
    std::optional<double> factor;
};

const schema::Shape& describe(schema::Type<Refused>);
const schema::Object<RefusedFields>& describe(schema::Type<RefusedFields>);

}  // namespace gateway::api::chat
