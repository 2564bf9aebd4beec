#pragma once

/// JSON Schemas as grammars, each converted once.

#include <memory>
#include <string>

#include "base/recent.hpp"
#include "base/result.hpp"
#include "engine.pb.h"
#include "worker/engine/llama/schema/grammar_of.hpp"

namespace worker::engine::llama {

class SchemaGrammars {
public:
    /// As `grammar_of_schema`. Safe from any thread.
    base::Result<std::shared_ptr<const std::string>> of(const std::string& schema, const std::string& param,
                                                        schema::Unenforceable unenforceable);

    void report(llm_gateway::engine::v1::StatisticsReply& reply) const { known_.report("schema", reply); }

private:
    base::Recent<std::shared_ptr<const std::string>> known_{std::size_t{16} << 20};
};

}  // namespace worker::engine::llama
