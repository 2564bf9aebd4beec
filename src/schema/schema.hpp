#pragma once

/// What others use of this folder: `parse`, `to_json`, `validate`, `document`. How to declare a type: object.hpp.

#include "schema/json.hpp"
#include "schema/object.hpp"
#include "schema/shapes.hpp"
#include "schema/units.hpp"

#include <expected>
#include <string>
#include <string_view>
#include <vector>

namespace schema {

template <typename T>
struct Parsed {
    T value;
    /// Paths of fields that no table knows, and of fields that are accepted without effect, for telling the caller.
    std::vector<std::string> unknown;
    std::vector<std::string> ignored;
};

namespace detail {
Findings read(const Value& value, void* target, const Shape& shape, const ParseOptions& options);
}

/// The value, or every fault of the document together. Never throws for input.
template <typename T>
std::expected<Parsed<T>, Faults> parse_value(const Value& value, const ParseOptions& options = {}) {
    Parsed<T> parsed;
    Findings findings = detail::read(value, &parsed.value, shape_of<T>(), options);
    if (!findings.faults.empty())
        return std::unexpected(std::move(findings.faults));
    parsed.unknown = std::move(findings.unknown);
    parsed.ignored = std::move(findings.ignored);
    return parsed;
}

template <typename T>
std::expected<Parsed<T>, Faults> parse(std::string_view text, const ParseOptions& options = {}) {
    const auto value = read_json(text, options.max_depth);
    if (!value)
        return std::unexpected(value.error());
    return parse_value<T>(*value, options);
}

template <typename T>
Value to_json(const T& value) {
    return shape_of<T>().write(&value);
}

template <typename T>
std::string to_text(const T& value)
    requires Described<T>
{
    return write_json(to_json(value));
}

/// What is wrong with `value` as a T; unknown fields are faults. For tests of our own answers.
template <typename T>
Faults validate(const Value& value) {
    auto parsed = parse_value<T>(value, {.unknown = Unknown::refuse});
    return parsed ? Faults{} : std::move(parsed.error());
}

/// The JSON Schema of T as a part of a larger document: named types are added to `components` and referred to.
template <typename T>
boost::json::object document(Components& components) {
    return shape_of<T>().document({}, components);
}

}  // namespace schema
