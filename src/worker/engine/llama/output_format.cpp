#include "worker/engine/llama/output_format.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
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

}  // namespace

std::string schema_of(const contract::OutputFormat& format) {
    return format.json_object() ? R"({"type":"object"})" : format.json_schema();
}

base::Result<std::string> grammar_of_schema(const std::string& schema, const std::string& param,
                                            schema::Unenforceable unenforceable) {
    if (auto fits = check_size(schema, param); !fits) {
        return std::unexpected(fits.error());
    }
    return schema::grammar_of(schema, param, unenforceable);
}

base::Result<void> check_repetitions(std::string_view grammar, const std::string& param) {
    if (has_reversed_repetition(grammar)) {
        return fail(ErrorCode::invalid, "A repetition has a maximum below its minimum.", param);
    }
    return {};
}

base::Result<contract::TextJob> with_grammar(const contract::TextJob& job) {
    auto grammar = schema::grammar_of_pattern(job.output_format().regex(), "output_format.regex");
    if (!grammar) {
        return std::unexpected(grammar.error());
    }
    contract::TextJob by_grammar = job;
    by_grammar.mutable_output_format()->set_grammar(std::move(*grammar));
    return by_grammar;
}

base::Result<void> check_format(const contract::OutputFormat& format, SchemaGrammars& schemas) {
    if (!format.grammar().empty()) {
        auto fits = check_size(format.grammar(), "output_format.grammar");
        return fits ? check_repetitions(format.grammar(), "output_format.grammar") : fits;
    }
    const std::string schema = schema_of(format);
    if (schema.empty()) {
        return {};
    }
    const auto usable = schemas.of(schema, "output_format.json_schema", schema::Unenforceable::refused);
    return usable ? base::Result<void>{} : std::unexpected(usable.error());
}

}  // namespace worker::engine::llama
