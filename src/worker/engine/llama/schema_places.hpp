#pragma once

/// Our grammars of schemas in the grammars that llama.cpp writes for chat formats. It gets a constant in the place of a
/// schema, and the grammar that it makes of it gets ours in the place of the constant.

#include <cstddef>
#include <string>

namespace worker::engine::llama {

/// The schema to show llama.cpp at the place with this number.
std::string stand_in(std::size_t place);

bool has_stand_in(const std::string& grammar, std::size_t place);

/// The grammar with that of the schema, as `grammar_of_schema` makes it, wherever the stand-in was.
std::string put_in_place(std::string grammar, std::size_t place, const std::string& schema_grammar);

}  // namespace worker::engine::llama
