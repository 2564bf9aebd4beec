#pragma once

/// Checks what a job asks of the form of its answer, before the engine's parsers see it.

#include <string>

#include "base/result.hpp"
#include "engine.pb.h"

namespace worker::engine::llama {

namespace contract = llm_gateway::engine::v1;

/// The schema in the words of llama.cpp's converter; a `whole` one also with the bounds of its numbers.
std::string prepared_schema(const std::string& schema, bool whole);

/// The JSON Schema an answer must follow, prepared, as text; empty when the job asks for none.
std::string schema_of(const contract::OutputFormat& format);

/// `invalid` with `param` when the text is no JSON Schema that can be turned into a grammar.
base::Result<void> check_schema(const std::string& schema, const std::string& param);

/// The same when the grammar would leave out something that the schema says; `param` is its path.
base::Result<void> check_whole_schema(const std::string& schema, const std::string& param);

/// `invalid` when the grammar or schema of the format cannot be used.
base::Result<void> check_format(const contract::OutputFormat& format);

}  // namespace worker::engine::llama
