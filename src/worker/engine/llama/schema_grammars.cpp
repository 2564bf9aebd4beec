#include "worker/engine/llama/schema_grammars.hpp"

#include <utility>

#include "worker/engine/llama/output_format.hpp"

namespace worker::engine::llama {

base::Result<std::shared_ptr<const std::string>> SchemaGrammars::of(const std::string& schema, const std::string& param,
                                                                    schema::Unenforceable unenforceable) {
    auto key = (unenforceable == schema::Unenforceable::refused ? "whole " : "part ") + schema;
    if (auto known = known_.find(key)) {
        return std::move(*known);
    }
    auto text = grammar_of_schema(schema, param, unenforceable);
    if (!text) {
        return std::unexpected(text.error());
    }
    auto grammar = std::make_shared<const std::string>(std::move(*text));
    known_.keep(std::move(key), grammar, grammar->size());
    return grammar;
}

}  // namespace worker::engine::llama
