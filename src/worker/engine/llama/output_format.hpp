#pragma once

/// Checks what a job asks of the form of its answer, before the engine's parsers see it.

#include <string>
#include <string_view>

#include "base/result.hpp"
#include "engine.pb.h"
#include "worker/engine/llama/schema/grammar_of.hpp"
#include "worker/engine/llama/schema_grammars.hpp"

namespace worker::engine::llama {

namespace contract = llm_gateway::engine::v1;

/// The JSON Schema an answer must follow, as text; empty when the job asks for none.
std::string schema_of(const contract::OutputFormat& format);

/// The grammar of texts that follow a JSON Schema. `invalid` with `param` when it is none that can be turned into one.
base::Result<std::string> grammar_of_schema(const std::string& schema, const std::string& param,
                                            schema::Unenforceable unenforceable);

/// `invalid` with `param` when a repetition of the grammar has a maximum below its minimum: llama.cpp's parser would take
/// all memory there is.
base::Result<void> check_repetitions(std::string_view grammar, const std::string& param);

/// The same job with a grammar instead of the regular expression that its answer must match. `invalid` when there is none
/// for it.
base::Result<contract::TextJob> with_grammar(const contract::TextJob& job);

/// `invalid` when the grammar or schema of the format cannot be used.
base::Result<void> check_format(const contract::OutputFormat& format, SchemaGrammars& schemas);

}  // namespace worker::engine::llama
