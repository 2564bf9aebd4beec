#include "gateway/api/strict_schema.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/json/array.hpp>
#include <boost/json/value.hpp>
#include <string_view>

namespace gateway::api {
namespace {

using boost::json::array;
using boost::json::object;
using boost::json::value;
using schema::FaultKind;
using schema::Reading;

constexpr std::array<std::string_view, 8> refused{
    "allOf", "dependentRequired", "dependentSchemas", "else", "if", "not", "oneOf", "then"};

bool complain(const Reading& reading, std::string message) {
    reading.fault(FaultKind::rule, std::move(message));
    return false;
}

bool is_of_type(const object& schema, std::string_view type) {
    const value* of = schema.if_contains("type");
    if (of == nullptr)
        return false;
    const auto is_it = [&](const value& each) {
        return each.is_string() && std::string_view(each.get_string()) == type;
    };
    return of->is_array() ? std::ranges::any_of(of->get_array(), is_it) : is_it(*of);
}

/// The first property that is not required, or nullptr.
const object::value_type* first_optional(const object& properties, const value* required) {
    const array* names = required != nullptr ? required->if_array() : nullptr;
    for (const auto& property : properties) {
        const auto is_it = [&](const value& name) {
            return name.is_string() && std::string_view(name.get_string()) == std::string_view(property.key());
        };
        if (names == nullptr || std::ranges::none_of(*names, is_it))
            return &property;
    }
    return nullptr;
}

// The functions below return whether nothing is wrong; otherwise they have complained.

bool check(const value& any, const Reading& reading);

/// The schemas in an object or in a list; other values are left to who reads the schema.
bool check_each(const object& schema, std::string_view keyword, const Reading& reading) {
    const value* held = schema.if_contains(keyword);
    if (held == nullptr)
        return true;
    const Reading place = reading.at(keyword);
    if (const auto* by_name = held->if_object())
        return std::ranges::all_of(*by_name,
                                   [&](const auto& each) { return check(each.value(), place.at(each.key())); });
    const auto* list = held->if_array();
    for (std::size_t i = 0; list != nullptr && i < list->size(); ++i)
        if (!check((*list)[i], place.at(i)))
            return false;
    return true;
}

bool check_object(const object& schema, const Reading& reading) {
    const value* others = schema.if_contains("additionalProperties");
    if (others == nullptr || !others->is_bool() || others->get_bool())
        return complain(reading, "is strict: 'additionalProperties' is required to be supplied and to be false");
    const value* properties = schema.if_contains("properties");
    const object* named = properties != nullptr ? properties->if_object() : nullptr;
    if (named == nullptr)
        return true;
    if (const auto* optional = first_optional(*named, schema.if_contains("required")))
        return complain(reading, fmt::format("is strict: 'required' is required to be supplied and to be an array "
                                             "including every key in properties. Missing '{}'",
                                             std::string_view(optional->key())));
    return true;
}

bool check(const value& any, const Reading& reading) {
    const auto* schema = any.if_object();
    if (schema == nullptr)
        return true;
    for (const std::string_view keyword : refused)
        if (schema->contains(keyword))
            return complain(reading.at(keyword), "is not permitted where strict is true");
    if ((is_of_type(*schema, "object") || schema->contains("properties")) && !check_object(*schema, reading))
        return false;
    for (const std::string_view keyword : {"properties", "$defs", "definitions", "anyOf", "prefixItems"})
        if (!check_each(*schema, keyword, reading))
            return false;
    const value* items = schema->if_contains("items");
    return items == nullptr || check(*items, reading.at("items"));
}

}  // namespace

void check_strict_schema(const object& schema, const Reading& reading) {
    if (!is_of_type(schema, "object") || !schema.at("type").is_string())
        complain(reading, "is strict: it must be a JSON Schema of type \"object\"");
    else
        check(schema, reading);
}

}  // namespace gateway::api
