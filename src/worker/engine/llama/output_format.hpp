#pragma once

/// Checks what a job asks of the form of its answer, before the engine's parsers see it.

#include <string>

#include "base/result.hpp"
#include "engine.pb.h"

namespace worker::engine::llama {

namespace contract = llm_gateway::engine::v1;

/// The JSON Schema an answer must follow, as text; empty when the job asks for none.
std::string schema_of(const contract::OutputFormat& format);

/// `invalid` with `param` when the text is no JSON Schema that can be turned into a grammar.
base::Result<void> check_schema(const std::string& schema, const std::string& param);

/// `invalid` when the grammar or schema of the format cannot be used.
base::Result<void> check_format(const contract::OutputFormat& format);

}  // namespace worker::engine::llama
