#pragma once

/// Which JSON Schemas llama.cpp's grammars enforce whole. Its converter leaves out what it does not know without a word;
/// here such a schema is refused, with the path of what cannot be kept.

#include <json.h>

#include <string>

#include "base/result.hpp"

namespace worker::engine::llama::schema {

enum class Numbers {
    as_they_are,
    enforced,  ///< bounds of decimal numbers too; the grammar needs `with_numbers` then
};

/// The schema with its patterns and formats, and maybe its numbers, as the converter takes them.
common_json prepared(const common_json& schema, Numbers numbers);

/// Complains at the first keyword that would not be kept. `param` is where the schema is; the path in it follows, as in
/// "….properties.age.multipleOf". `schema` must be prepared and one that the converter takes.
base::Result<void> check_enforceable(const common_json& schema, const std::string& param);

/// From the converter's "… at #/properties/a: …" to "properties.a"; empty when it names no place.
std::string path_in_message(const std::string& message);

}  // namespace worker::engine::llama::schema
