#include "schema/schema.hpp"

namespace schema::detail {

Findings read(const Value& value, void* target, const Shape& shape, const ParseOptions& options) {
    Findings findings{.options = options, .faults = {}, .unknown = {}, .ignored = {}};
    shape.read(value, target, {}, Reading(findings));
    return findings;
}

}  // namespace schema::detail
