#include "worker/engine/llama/schema/document.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <utility>

#include "worker/engine/llama/schema/decimal.hpp"

namespace worker::engine::llama::schema {
namespace {

bool is_schema(const common_json& json) {
    return json.is_object() || json.is_boolean();
}

bool is_list(const common_json& json, bool (*fits)(const common_json&)) {
    if (!json.is_array()) {
        return false;
    }
    for (const auto& each : json) {
        if (!fits(each)) {
            return false;
        }
    }
    return true;
}

bool is_string(const common_json& json) {
    return json.is_string();
}

bool is_count(const common_json& json) {
    const auto value = json.is_number() ? decimal_of(json.dump()) : std::nullopt;
    return value && !value->negative && value->fraction.empty();
}

bool is_type_name(const common_json& json) {
    constexpr std::array names{"object", "array", "string", "number", "integer", "boolean", "null"};
    return json.is_string() && std::ranges::find(names, json.get<std::string>()) != names.end();
}

struct Form {
    const char* keyword;
    bool (*fits)(const common_json&);
    const char* expected;
};

constexpr auto named_schemas = [](const common_json& json) {
    if (!json.is_object()) {
        return false;
    }
    for (const auto& [name, value] : json.items()) {
        if (!is_schema(value)) {
            return false;
        }
    }
    return true;
};
constexpr auto schemas = [](const common_json& json) { return !json.empty() && is_list(json, is_schema); };
constexpr auto schema_or_list = [](const common_json& json) { return is_schema(json) || is_list(json, is_schema); };
// Once a property said of itself whether it is required.
constexpr auto names_or_boolean = [](const common_json& json) { return json.is_boolean() || is_list(json, is_string); };
constexpr auto number = [](const common_json& json) { return json.is_number(); };
constexpr auto number_or_boolean = [](const common_json& json) { return json.is_number() || json.is_boolean(); };
constexpr auto boolean = [](const common_json& json) { return json.is_boolean(); };
constexpr auto list = [](const common_json& json) { return json.is_array(); };
constexpr auto type = [](const common_json& json) {
    return is_type_name(json) || (!json.empty() && is_list(json, is_type_name));
};
constexpr auto above_zero = [](const common_json& json) {
    const auto value = json.is_number() ? decimal_of(json.dump()) : std::nullopt;
    return value && !value->negative && !value->is_zero();
};

constexpr const char* a_schema = "a schema";
constexpr const char* a_count = "a whole number that is not negative";
constexpr const char* a_number = "a number";
constexpr const char* a_string = "a string";
constexpr const char* some_schemas = "a list of schemas that is not empty";
constexpr const char* schemas_by_name = "an object whose values are schemas";

constexpr std::array forms{
    Form{"type", type, "a type, or a list of types: object, array, string, number, integer, boolean, null"},
    Form{"$ref", is_string, a_string},
    Form{"enum", list, "a list"},
    Form{"properties", named_schemas, schemas_by_name},
    Form{"patternProperties", named_schemas, schemas_by_name},
    Form{"required", names_or_boolean, "a list of names"},
    Form{"additionalProperties", is_schema, a_schema},
    Form{"propertyNames", is_schema, a_schema},
    Form{"minProperties", is_count, a_count},
    Form{"maxProperties", is_count, a_count},
    Form{"items", schema_or_list, "a schema or a list of schemas"},
    Form{"prefixItems", schemas, some_schemas},
    Form{"additionalItems", is_schema, a_schema},
    Form{"minItems", is_count, a_count},
    Form{"maxItems", is_count, a_count},
    Form{"uniqueItems", boolean, "true or false"},
    Form{"contains", is_schema, a_schema},
    Form{"allOf", schemas, some_schemas},
    Form{"anyOf", schemas, some_schemas},
    Form{"oneOf", schemas, some_schemas},
    Form{"not", is_schema, a_schema},
    Form{"if", is_schema, a_schema},
    Form{"then", is_schema, a_schema},
    Form{"else", is_schema, a_schema},
    Form{"minLength", is_count, a_count},
    Form{"maxLength", is_count, a_count},
    Form{"pattern", is_string, a_string},
    Form{"format", is_string, a_string},
    Form{"minimum", number, a_number},
    Form{"maximum", number, a_number},
    Form{"exclusiveMinimum", number_or_boolean, a_number},
    Form{"exclusiveMaximum", number_or_boolean, a_number},
    Form{"multipleOf", above_zero, "a number above zero"},
    Form{"nullable", boolean, "true or false"},
};

// A segment of a pointer: ~1 and ~0 stand for / and ~, and in a URL other characters are percent-encoded.
std::string unescaped(std::string_view segment) {
    std::string text;
    for (std::size_t at = 0; at < segment.size(); ++at) {
        unsigned value = 0;
        const auto* digits = segment.data() + at + 1;
        if (segment[at] == '%' && at + 2 < segment.size() &&
            std::from_chars(digits, digits + 2, value, 16).ptr == digits + 2) {
            text += static_cast<char>(static_cast<unsigned char>(value));
            at += 2;
        } else {
            text += segment[at];
        }
    }
    std::string plain;
    for (std::size_t at = 0; at < text.size(); ++at) {
        const bool escape = text[at] == '~' && at + 1 < text.size() && (text[at + 1] == '0' || text[at + 1] == '1');
        plain += !escape ? text[at] : text[++at] == '0' ? '~' : '/';
    }
    return plain;
}

}  // namespace

std::string in_path(std::string_view key) {
    return "." + std::string(key);
}
std::string in_path(std::size_t index) {
    return fmt::format("[{}]", index);
}

Document::Document(const common_json& json) {
    known(json, "");
}

Document::Part Document::known(const common_json& json, std::string path) {
    const auto [place, added] = numbers_.try_emplace(&json, static_cast<Part>(parts_.size()));
    if (added) {
        parts_.push_back({.json = &json, .path = std::move(path)});
    }
    return place->second;
}

const common_json* Document::find(Part part, const std::string& keyword) const {
    const auto& schema = json(part);
    return schema.is_object() && schema.contains(keyword) ? &schema.at(keyword) : nullptr;
}

Document::Part Document::inside(Part part, const std::string& keyword) {
    return known(json(part).at(keyword), path(part) + in_path(keyword));
}

Document::Part Document::inside(Part part, const std::string& keyword, std::size_t index) {
    return known(json(part).at(keyword).at(index), path(part) + in_path(keyword) + in_path(index));
}

Document::Part Document::inside(Part part, const std::string& keyword, const std::string& name) {
    return known(json(part).at(keyword).at(name), path(part) + in_path(keyword) + in_path(name));
}

std::optional<Document::Part> Document::target(Part part) {
    std::string reference = json(part).at("$ref").get<std::string>();
    if (const auto* id = find(root, "$id"); id != nullptr && id->is_string()) {
        if (const auto name = id->get<std::string>(); !name.empty() && reference.starts_with(name)) {
            reference.erase(0, name.size());
            reference = reference.empty() ? "#" : reference;
        }
    }
    if (!reference.starts_with('#')) {
        return std::nullopt;
    }
    const bool is_pointer = reference.size() == 1 || reference[1] == '/';
    return is_pointer ? at_pointer(std::string_view(reference).substr(1)) : at_anchor(reference.substr(1));
}

std::optional<Document::Part> Document::at_pointer(std::string_view pointer) {
    const common_json* place = &json(root);
    std::string path;
    while (!pointer.empty()) {
        pointer.remove_prefix(1);
        const auto end = std::min(pointer.find('/'), pointer.size());
        const std::string segment = unescaped(pointer.substr(0, end));
        pointer.remove_prefix(end);
        if (place->is_object() && place->contains(segment)) {
            place = &place->at(segment);
            path += in_path(segment);
            continue;
        }
        std::size_t index = 0;
        const auto [behind, error] = std::from_chars(segment.data(), segment.data() + segment.size(), index);
        if (!place->is_array() || error != std::errc() || behind != segment.data() + segment.size() ||
            index >= place->size()) {
            return std::nullopt;
        }
        place = &place->at(index);
        path += in_path(index);
    }
    return is_schema(*place) ? std::optional(known(*place, std::move(path))) : std::nullopt;
}

std::optional<Document::Part> Document::at_anchor(const std::string& name) {
    std::vector<std::pair<const common_json*, std::string>> open = {{&json(root), ""}};
    while (!open.empty()) {
        const auto [place, path] = open.back();
        open.pop_back();
        if (place->is_array()) {
            for (std::size_t index = 0; index < place->size(); ++index) {
                open.emplace_back(&place->at(index), path + in_path(index));
            }
        } else if (place->is_object()) {
            if (place->contains("$anchor") && place->at("$anchor") == name) {
                return known(*place, path);
            }
            for (const auto& [key, value] : place->items()) {
                open.emplace_back(&value, path + in_path(key));
            }
        }
    }
    return std::nullopt;
}

bool Document::says_something(Part part) const {
    if (json(part).is_boolean()) {
        return !json(part).get<bool>();
    }
    constexpr std::array others{
        "const",         "dependentRequired", "dependentSchemas", "dependencies",     "$dynamicRef",
        "$recursiveRef", "minContains",       "maxContains",      "unevaluatedItems", "unevaluatedProperties"};
    const auto has = [&](const char* keyword) { return find(part, keyword) != nullptr; };
    const auto leads_on = [](std::string_view keyword) {
        return keyword == "$ref" || keyword == "allOf" || keyword == "anyOf" || keyword == "oneOf";
    };
    const auto speaks = [&](const Form& form) { return !leads_on(form.keyword) && has(form.keyword); };
    return std::ranges::any_of(forms, speaks) || std::ranges::any_of(others, has);
}

std::optional<Fault> Document::malformed(Part part) const {
    const auto& schema = json(part);
    if (!is_schema(schema)) {
        return Fault{.path = path(part), .complaint = "a schema is an object, true or false"};
    }
    for (const auto& [keyword, fits, expected] : forms) {
        const auto* value = find(part, keyword);
        if (value != nullptr && !fits(*value)) {
            return Fault{.path = path(part) + in_path(keyword), .complaint = fmt::format("expected {}", expected)};
        }
    }
    return std::nullopt;
}

}  // namespace worker::engine::llama::schema
