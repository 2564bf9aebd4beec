#include "worker/engine/llama/output_format.hpp"

#include <fmt/format.h>
#include <json-schema-to-grammar.h>
#include <json.h>

#include <algorithm>
#include <string_view>

namespace worker::engine::llama {
namespace {

using base::ErrorCode;
using base::fail;

// The engine's parsers recurse and expand: deeper or longer input could exhaust the stack or the memory of the process.
constexpr std::size_t longest_text = 256 * 1024;
constexpr int deepest_nesting = 100;

int nesting(std::string_view text) {
    int depth = 0;
    int deepest = 0;
    for (const char letter : text) {
        if (letter == '(' || letter == '[' || letter == '{') {
            deepest = std::max(deepest, ++depth);
        } else if (letter == ')' || letter == ']' || letter == '}') {
            --depth;
        }
    }
    return deepest;
}

base::Result<void> check_size(std::string_view text, const std::string& param) {
    if (text.size() > longest_text || nesting(text) > deepest_nesting) {
        return fail(ErrorCode::invalid,
                    fmt::format("Too large: at most {} bytes and {} levels of nesting are allowed.", longest_text,
                                deepest_nesting),
                    param);
    }
    return {};
}

}  // namespace

std::string schema_of(const contract::OutputFormat& format) {
    return format.json_object() ? R"({"type":"object"})" : format.json_schema();
}

base::Result<void> check_schema(const std::string& schema, const std::string& param) {
    if (auto fits = check_size(schema, param); !fits) {
        return fits;
    }
    try {
        json_schema_to_grammar(common_json::parse(schema));
        return {};
    } catch (const std::exception& problem) {
        return fail(ErrorCode::invalid, fmt::format("The JSON Schema cannot be used: {}", problem.what()), param);
    }
}

base::Result<void> check_format(const contract::OutputFormat& format) {
    if (!format.grammar().empty()) {
        return check_size(format.grammar(), "output_format.grammar");
    }
    const std::string schema = schema_of(format);
    return schema.empty() ? base::Result<void>{} : check_schema(schema, "output_format.json_schema");
}

}  // namespace worker::engine::llama
