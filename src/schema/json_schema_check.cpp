#include "schema/json_schema_check.hpp"

#include <algorithm>
#include <boost/json/array.hpp>
#include <cmath>
#include <regex>
#include <stdexcept>
#include <string>

namespace schema {

namespace {

namespace json = boost::json;

bool is_integer(const json::value& value) {
    return value.is_int64() || value.is_uint64() ||
           (value.is_double() && std::trunc(value.get_double()) == value.get_double());
}

bool has_type(const json::value& value, const json::value& type) {
    if (type.is_array())
        return std::ranges::any_of(type.get_array(), [&](const auto& one) { return has_type(value, one); });
    const json::string& name = type.as_string();
    if (name == "null")
        return value.is_null();
    if (name == "boolean")
        return value.is_bool();
    if (name == "integer")
        return value.is_number() && is_integer(value);
    if (name == "number")
        return value.is_number();
    if (name == "string")
        return value.is_string();
    if (name == "array")
        return value.is_array();
    if (name == "object")
        return value.is_object();
    throw std::logic_error("unknown type");
}

std::size_t characters(const json::string& text) {
    return static_cast<std::size_t>(
        std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

/// Exact also near 2^64, where not every integer is a double. Negative, 0 or positive.
int compare(const json::value& a, const json::value& b) {
    const auto number = [](const json::value& value) {
        return value.is_int64()    ? static_cast<long double>(value.get_int64())
               : value.is_uint64() ? static_cast<long double>(value.get_uint64())
                                   : static_cast<long double>(value.get_double());
    };
    return number(a) < number(b) ? -1 : number(a) > number(b) ? 1 : 0;
}
std::size_t count(const json::value& value) {
    return value.to_number<std::size_t>();
}

std::ptrdiff_t matching(const json::value& value, const json::value& schemas, const json::object& definitions) {
    return std::ranges::count_if(schemas.as_array(),
                                 [&](const auto& schema) { return obeys(value, schema.as_object(), definitions); });
}

bool obeys_properties(const json::value& value, const json::value& properties, const json::object& definitions) {
    if (!value.is_object())
        return true;
    return std::ranges::all_of(properties.as_object(), [&](const auto& property) {
        const json::value* member = value.get_object().if_contains(property.key());
        return !member || obeys(*member, property.value().as_object(), definitions);
    });
}

bool obeys_additional(const json::value& value, const json::object& schema, const json::value& additional,
                      const json::object& definitions) {
    if (!value.is_object() || (additional.is_bool() && additional.get_bool()))
        return true;
    const json::value* properties = schema.if_contains("properties");
    return std::ranges::all_of(value.get_object(), [&](const auto& member) {
        if (properties && properties->as_object().contains(member.key()))
            return true;
        return additional.is_object() && obeys(member.value(), additional.get_object(), definitions);
    });
}

bool obeys_keyword(const json::value& value, std::string_view keyword, const json::value& argument,
                   const json::object& schema, const json::object& definitions) {
    if (keyword == "description" || keyword == "default" || keyword == "examples" || keyword == "deprecated" ||
        keyword == "format" || keyword == "discriminator" || keyword.starts_with("x-"))
        return true;
    if (keyword == "$ref") {
        const std::string reference(argument.as_string().c_str());
        return obeys(value, definitions.at(reference.substr(reference.rfind('/') + 1)).as_object(), definitions);
    }
    if (keyword == "type")
        return has_type(value, argument);
    if (keyword == "const")
        return value == argument;
    if (keyword == "enum")
        return std::ranges::find(argument.as_array(), value) != argument.as_array().end();
    if (keyword == "oneOf")
        return matching(value, argument, definitions) == 1;
    if (keyword == "anyOf")
        return matching(value, argument, definitions) >= 1;
    if (keyword == "minimum")
        return !value.is_number() || compare(value, argument) >= 0;
    if (keyword == "maximum")
        return !value.is_number() || compare(value, argument) <= 0;
    if (keyword == "exclusiveMinimum")
        return !value.is_number() || compare(value, argument) > 0;
    if (keyword == "exclusiveMaximum")
        return !value.is_number() || compare(value, argument) < 0;
    if (keyword == "minLength")
        return !value.is_string() || characters(value.get_string()) >= count(argument);
    if (keyword == "maxLength")
        return !value.is_string() || characters(value.get_string()) <= count(argument);
    if (keyword == "pattern")
        return !value.is_string() ||
               std::regex_search(value.get_string().c_str(), std::regex(argument.as_string().c_str()));
    if (keyword == "minItems")
        return !value.is_array() || value.get_array().size() >= count(argument);
    if (keyword == "maxItems")
        return !value.is_array() || value.get_array().size() <= count(argument);
    if (keyword == "minProperties")
        return !value.is_object() || value.get_object().size() >= count(argument);
    if (keyword == "maxProperties")
        return !value.is_object() || value.get_object().size() <= count(argument);
    if (keyword == "items")
        return !value.is_array() || std::ranges::all_of(value.get_array(), [&](const auto& element) {
            return obeys(element, argument.as_object(), definitions);
        });
    if (keyword == "required")
        return !value.is_object() || std::ranges::all_of(argument.as_array(), [&](const auto& name) {
            return value.get_object().contains(name.as_string());
        });
    if (keyword == "properties")
        return obeys_properties(value, argument, definitions);
    if (keyword == "additionalProperties")
        return obeys_additional(value, schema, argument, definitions);
    throw std::logic_error("unknown keyword " + std::string(keyword));
}

}  // namespace

bool obeys(const json::value& value, const json::object& schema, const json::object& definitions) {
    return std::ranges::all_of(schema, [&](const auto& pair) {
        return obeys_keyword(value, {pair.key().data(), pair.key().size()}, pair.value(), schema, definitions);
    });
}

}  // namespace schema
