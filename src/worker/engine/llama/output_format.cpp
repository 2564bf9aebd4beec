#include "worker/engine/llama/output_format.hpp"

#include <fmt/format.h>
#include <json-schema-to-grammar.h>
#include <json.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string_view>

#include "worker/engine/llama/schema/enforceable.hpp"

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

bool fits(std::string_view text) {
    return text.size() <= longest_text && nesting(text) <= deepest_nesting;
}

base::Result<void> check_size(std::string_view text, const std::string& param) {
    if (!fits(text)) {
        return fail(ErrorCode::invalid,
                    fmt::format("Too large: at most {} bytes and {} levels of nesting are allowed.", longest_text,
                                deepest_nesting),
                    param);
    }
    return {};
}

std::uint64_t number_at(std::string_view text, std::size_t& position) {
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(text.data() + position, text.data() + text.size(), number);
    position = static_cast<std::size_t>(end - text.data());
    return error == std::errc() ? number : 0;
}

// `x{4,2}`: llama.cpp's parser counts from 4 down to 2 the long way round and takes all memory there is.
bool has_reversed_repetition(std::string_view grammar) {
    char inside = 0;  // the character that ends the literal or character class we are in
    for (std::size_t position = 0; position < grammar.size(); ++position) {
        const char letter = grammar[position];
        if (inside != 0) {
            position += letter == '\\' ? 1 : 0;
            inside = letter == inside ? '\0' : inside;
        } else if (letter == '"') {
            inside = '"';
        } else if (letter == '[') {
            inside = ']';
        } else if (letter == '#') {
            inside = '\n';
        } else if (letter == '{') {
            const auto skip_space = [&] {
                position = std::min(grammar.find_first_not_of(" \t\r\n", position), grammar.size());
            };
            ++position;
            skip_space();
            const auto least = number_at(grammar, position);
            skip_space();
            if (position < grammar.size() && grammar[position] == ',') {
                ++position;
                skip_space();
                if (position < grammar.size() && grammar[position] >= '0' && grammar[position] <= '9' &&
                    number_at(grammar, position) < least) {
                    return true;
                }
            }
        }
    }
    return false;
}

base::Result<void> check_repetitions(std::string_view grammar, const std::string& param) {
    if (has_reversed_repetition(grammar)) {
        return fail(ErrorCode::invalid, "A repetition has a maximum below its minimum.", param);
    }
    return {};
}

}  // namespace

std::string prepared_schema(const std::string& schema, bool whole) {
    const auto has = [&](const char* word) { return schema.find(word) != std::string::npos; };
    const bool changes = has("pattern") || has("format") || (whole && has("number"));
    if (!changes || !fits(schema)) {
        return schema;
    }
    try {
        return schema::prepared(common_json::parse(schema),
                                whole ? schema::Numbers::enforced : schema::Numbers::as_they_are)
            .dump();
    } catch (const std::exception&) {
        return schema;  // whoever uses it will say why it cannot be used
    }
}

std::string schema_of(const contract::OutputFormat& format) {
    return format.json_object() ? R"({"type":"object"})" : prepared_schema(format.json_schema(), true);
}

base::Result<void> check_schema(const std::string& schema, const std::string& param) {
    if (auto fits = check_size(schema, param); !fits) {
        return fits;
    }
    try {
        return check_repetitions(json_schema_to_grammar(common_json::parse(schema)), param);
    } catch (const std::exception& problem) {
        return fail(ErrorCode::invalid, fmt::format("The JSON Schema cannot be used: {}", problem.what()),
                    param + schema::path_in_message(problem.what()));
    }
}

base::Result<void> check_whole_schema(const std::string& schema, const std::string& param) {
    if (auto usable = check_schema(schema, param); !usable) {
        return usable;
    }
    try {
        return schema::check_enforceable(common_json::parse(schema), param);
    } catch (const std::exception& problem) {  // a keyword with a value of a wrong kind, where the converter ignores it
        return fail(ErrorCode::invalid, fmt::format("The JSON Schema cannot be used: {}", problem.what()), param);
    }
}

base::Result<void> check_format(const contract::OutputFormat& format) {
    if (!format.grammar().empty()) {
        auto fits = check_size(format.grammar(), "output_format.grammar");
        return fits ? check_repetitions(format.grammar(), "output_format.grammar") : fits;
    }
    const std::string schema = schema_of(format);
    return schema.empty() ? base::Result<void>{} : check_whole_schema(schema, "output_format.json_schema");
}

}  // namespace worker::engine::llama
