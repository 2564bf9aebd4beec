#include "worker/engine/llama/schema_places.hpp"

#include <fmt/format.h>
#include <json-schema-to-grammar.h>

#include "worker/engine/llama/grammar_text.hpp"

namespace worker::engine::llama {
namespace {

std::string constant(std::size_t place) {
    return fmt::format("{{\"a value for the schema at place\":{}}}", place);
}

std::string literal(std::size_t place) {
    return gbnf_format_literal(constant(place));
}

}  // namespace

// Templates look for the properties of a tool's arguments.
std::string stand_in(std::size_t place) {
    return R"({"type":"object","properties":{},"required":[],"const":)" + constant(place) + "}";
}

bool has_stand_in(const std::string& grammar, std::size_t place) {
    return grammar.find(literal(place)) != std::string::npos;
}

std::string put_in_place(std::string grammar, std::size_t place, const std::string& schema_grammar) {
    const std::string stands = literal(place);
    const std::string prefix = fmt::format("schema-{}-", place);
    const std::string rule = prefix + "root";
    bool found = false;
    for (auto at = grammar.find(stands); at != std::string::npos; at = grammar.find(stands, at + rule.size())) {
        grammar.replace(at, stands.size(), rule);
        found = true;
    }
    return found ? grammar + "\n" + with_prefix(schema_grammar, prefix) : grammar;
}

}  // namespace worker::engine::llama
