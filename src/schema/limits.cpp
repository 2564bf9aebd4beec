#include "schema/limits.hpp"

#include "schema/wording.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <boost/json/array.hpp>
#include <cmath>

namespace schema {

namespace {

std::string plain(double number) {
    return fmt::format("{}", number);
}

std::string allowed_range(const Options& options, Spelling spell) {
    if (options.minimum && options.maximum)
        return fmt::format("between {} and {}", spell(*options.minimum), spell(*options.maximum));
    std::string text;
    if (options.minimum)
        text = "at least " + spell(*options.minimum);
    if (options.exclusive_minimum)
        text = "more than " + spell(*options.exclusive_minimum);
    const std::string_view joint = text.empty() ? "" : " and ";
    if (options.maximum)
        text += fmt::format("{}at most {}", joint, spell(*options.maximum));
    if (options.exclusive_maximum)
        text += fmt::format("{}less than {}", joint, spell(*options.exclusive_maximum));
    return text;
}

/// "between 1 and 4 items", "at least 1 item".
std::string allowed_count(std::optional<std::size_t> least, std::optional<std::size_t> most, std::string_view unit) {
    const auto counted = [&](std::size_t n) { return fmt::format("{} {}{}", n, unit, n == 1 ? "" : "s"); };
    if (least && most)
        return *least == *most ? counted(*least) : fmt::format("between {} and {}", *least, counted(*most));
    return least ? "at least " + counted(*least) : "at most " + counted(*most);
}

bool check_count(std::size_t count, std::optional<std::size_t> least, std::optional<std::size_t> most,
                 std::string_view unit, const Reading& reading) {
    if ((!least || count >= *least) && (!most || count <= *most))
        return true;
    reading.fault(FaultKind::out_of_range,
                  fmt::format("must have {}, not {}", allowed_count(least, most, unit), count));
    return false;
}

}  // namespace

bool check_number(double number, const Options& options, const Reading& reading, const Value& given,
                  Spelling spelling) {
    const bool inside = std::isfinite(number) && (!options.minimum || number >= *options.minimum) &&
                        (!options.maximum || number <= *options.maximum) &&
                        (!options.exclusive_minimum || number > *options.exclusive_minimum) &&
                        (!options.exclusive_maximum || number < *options.exclusive_maximum);
    if (inside)
        return true;
    const std::string range = allowed_range(options, spelling ? spelling : plain);
    reading.fault(FaultKind::out_of_range,
                  fmt::format("must be {}, not {}", range.empty() ? "a finite number" : range, shown(given)));
    return false;
}

bool check_string(std::string_view text, const Options& options, const Reading& reading) {
    const auto continues = [](char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; };
    const std::size_t length = text.size() - static_cast<std::size_t>(std::ranges::count_if(text, continues));
    if (!check_count(length, options.min_length, options.max_length, "character", reading))
        return false;
    if (options.pattern.empty() || options.pattern.found_in(text))
        return true;
    reading.fault(FaultKind::not_allowed, fmt::format("must match {}, not {}", options.pattern.text(), quoted(text)));
    return false;
}

bool check_items(std::size_t count, const Options& options, const Reading& reading) {
    return check_count(count, options.min_items, options.max_items, "item", reading);
}

void document_number(boost::json::object& schema, const Options& options) {
    if (options.minimum)
        schema["minimum"] = plain_number(*options.minimum);
    if (options.maximum)
        schema["maximum"] = plain_number(*options.maximum);
    if (options.exclusive_minimum)
        schema["exclusiveMinimum"] = plain_number(*options.exclusive_minimum);
    if (options.exclusive_maximum)
        schema["exclusiveMaximum"] = plain_number(*options.exclusive_maximum);
}

void document_string(boost::json::object& schema, const Options& options) {
    if (options.min_length)
        schema["minLength"] = *options.min_length;
    if (options.max_length)
        schema["maxLength"] = *options.max_length;
    if (!options.pattern.empty())
        schema["pattern"] = options.pattern.text();
    if (!options.format.empty())
        schema["format"] = options.format;
}

void document_items(boost::json::object& schema, const Options& options, Kinds kind) {
    if (options.min_items)
        schema[kind == Kinds::array ? "minItems" : "minProperties"] = *options.min_items;
    if (options.max_items)
        schema[kind == Kinds::array ? "maxItems" : "maxProperties"] = *options.max_items;
}

Value plain_number(double number) {
    if (std::trunc(number) == number && std::abs(number) < 9e15)
        return static_cast<std::int64_t>(number);
    return number;
}

boost::json::object or_null(boost::json::object schema) {
    if (schema.empty())
        return schema;  // anything, so null too
    if (auto* type = schema.if_contains("type")) {
        if (type->is_string())
            *type = boost::json::array{*type, "null"};
        else if (auto& types = type->as_array(); std::ranges::find(types, Value("null")) == types.end())
            types.push_back("null");
        if (auto* values = schema.if_contains("enum"); values && !values->as_array().empty())
            if (!values->as_array().back().is_null())
                values->as_array().push_back(nullptr);
        return schema;
    }
    if (auto* any = schema.if_contains("anyOf")) {
        const Value null_schema{{"type", "null"}};
        if (std::ranges::find(any->as_array(), null_schema) == any->as_array().end())
            any->as_array().push_back(null_schema);
        return schema;
    }
    return {{"anyOf", boost::json::array{std::move(schema), boost::json::object{{"type", "null"}}}}};
}

}  // namespace schema
