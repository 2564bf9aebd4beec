#pragma once

/// From JSON Schema to a grammar in llama.cpp's notation (GBNF). What the grammar allows always satisfies the schema.
/// It may allow less than the schema does, where a model gains nothing by more: properties that no schema mentions, a
/// number with an exponent where there are bounds, characters with an escape that needs none where there is a
/// pattern.

#include <string>

#include "base/result.hpp"

namespace worker::engine::llama::schema {

/// What becomes of a keyword that no grammar can hold, such as `not` or a pattern that refers back.
enum class Unenforceable {
    refused,
    left_out,
};

/// `invalid` for what is no JSON Schema, has no value or would need too large a grammar; `param` is then where the
/// schema is followed by the path in it, as in "….properties.age.multipleOf". Time and memory are bounded whatever
/// the schema says; how long and how deep its text is has been checked before.
base::Result<std::string> grammar_of(const std::string& schema, const std::string& param, Unenforceable unenforceable);

/// For texts that match a regular expression as a whole.
base::Result<std::string> grammar_of_pattern(const std::string& pattern, const std::string& param);

}  // namespace worker::engine::llama::schema
