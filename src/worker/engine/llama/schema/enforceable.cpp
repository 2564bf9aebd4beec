#include "worker/engine/llama/schema/enforceable.hpp"

#include <fmt/format.h>
#include <json-schema-to-grammar.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "worker/engine/llama/schema/number_range.hpp"
#include "worker/engine/llama/schema/pattern.hpp"

namespace worker::engine::llama::schema {
namespace {

using Names = std::vector<std::string_view>;

// Keywords that say something about values, by the type of value they say it about.
const Names of_all{"not", "if", "then", "else", "allOf", "anyOf", "oneOf", "$dynamicRef", "$recursiveRef"};
const Names of_objects{"properties",       "required",      "additionalProperties", "patternProperties",
                       "propertyNames",    "minProperties", "maxProperties",        "dependentRequired",
                       "dependentSchemas", "dependencies",  "unevaluatedProperties"};
const Names of_arrays{"items",       "prefixItems", "additionalItems", "unevaluatedItems", "contains",
                      "minContains", "maxContains", "minItems",        "maxItems",         "uniqueItems"};
const Names of_strings{"pattern", "format", "minLength", "maxLength"};
const Names of_numbers{"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"};

bool has(const Names& names, std::string_view name) {
    return std::ranges::find(names, name) != names.end();
}

std::string in_path(std::string_view key) {
    return "." + std::string(key);
}
std::string in_path(std::size_t index) {
    return fmt::format("[{}]", index);
}

bool is_known_format(const std::string& format) {
    return format == "date" || format == "time" || format == "date-time" || format.starts_with("uuid") ||
           !pattern_of_format(format).empty();
}

bool is_convertible(const std::string& pattern) {
    const auto schema = common_json{{"type", "string"}, {"pattern", pattern}};
    return json_schema_to_grammar(schema).find("root ::= string\n") == std::string::npos;
}

// Walks through a schema as llama.cpp's converter does, and stops at the first thing that it would leave out.
class Walk {
public:
    explicit Walk(const common_json& root) : root_(root) {}

    /// Path and complaint.
    const std::optional<std::pair<std::string, std::string>>& fault() const { return fault_; }

    void visit(const common_json& schema, const std::string& path) {
        if (fault_ || !schema.is_object()) {
            return;
        }
        if (schema.contains("$ref")) {
            refuse_others(schema, {"$ref"}, {&of_all, &of_objects, &of_arrays, &of_strings, &of_numbers}, path);
            follow(schema.at("$ref").get<std::string>());
        } else if (schema.contains("oneOf") || schema.contains("anyOf")) {
            const char* key = schema.contains("oneOf") ? "oneOf" : "anyOf";
            refuse_others(schema, {key}, {&of_all, &of_objects, &of_arrays, &of_strings, &of_numbers}, path);
            visit_all(schema.at(key), path + in_path(key));
        } else if (schema.contains("const") || schema.contains("enum")) {
            refuse_others(schema, {}, {&of_all}, path);
        } else if (schema.contains("type") && schema.at("type").is_array()) {
            for (const auto& type : schema.at("type")) {
                visit_type(schema, type.get<std::string>(), path);
            }
        } else {
            visit_type(schema, schema.contains("type") ? schema.at("type").get<std::string>() : "", path);
        }
    }

private:
    void refuse(std::string path, std::string complaint) {
        if (!fault_) {
            fault_.emplace(std::move(path), std::move(complaint));
        }
    }

    void refuse_others(const common_json& schema, const Names& kept, const std::vector<const Names*>& speaking,
                       const std::string& path) {
        for (const auto& [key, value] : schema.items()) {
            const std::string name = key;
            const bool speaks = std::ranges::any_of(speaking, [&](const Names* names) { return has(*names, name); });
            const bool says_nothing =
                (name == "uniqueItems" && value == false) ||
                ((name == "minItems" || name == "minLength" || name == "minProperties") && value == 0) ||
                (name == "multipleOf" && value == 1);
            if (speaks && !has(kept, name) && !says_nothing) {
                refuse(path + in_path(name), fmt::format("`{}` cannot be enforced here", name));
            }
        }
    }

    void visit_all(const common_json& schemas, const std::string& path) {
        std::size_t index = 0;
        for (const auto& each : schemas) {
            visit(each, path + in_path(index++));
        }
    }

    void follow(const std::string& reference) {
        if (!followed_.insert(reference).second) {
            return;
        }
        const common_json* target = &root_;
        std::string path;
        for (std::size_t begin = 2; begin <= reference.size();) {
            const auto end = std::min(reference.find('/', begin), reference.size());
            const std::string key = reference.substr(begin, end - begin);
            if (target->is_array()) {
                const auto index = static_cast<std::size_t>(std::stoull(key));
                target = &target->at(index);
                path += in_path(index);
            } else {
                target = &target->at(key);
                path += in_path(key);
            }
            begin = end + 1;
        }
        visit(*target, path);
    }

    void visit_type(const common_json& schema, const std::string& type, const std::string& path) {
        const bool has_properties = schema.contains("properties") || (schema.contains("additionalProperties") &&
                                                                      schema.at("additionalProperties") != true);
        const bool has_items = schema.contains("items") || schema.contains("prefixItems");
        const bool about_text =
            std::ranges::any_of(of_strings, [&](std::string_view name) { return schema.contains(std::string(name)); });
        if (type == "object" || (type.empty() && has_properties)) {
            visit_object(schema, has_properties, path);
        } else if (schema.contains("allOf") && (type.empty() || type == "string")) {
            visit_merged(schema, path);
        } else if (type == "array" || (type.empty() && has_items)) {
            visit_array(schema, path);
        } else if (type == "string" || (type.empty() && about_text)) {
            visit_string(schema, path);
        } else if (type == "integer") {
            refuse_others(schema,
                          {"minimum", "maximum", schema.contains("minimum") ? "" : "exclusiveMinimum",
                           schema.contains("maximum") ? "" : "exclusiveMaximum"},
                          {&of_all, &of_numbers}, path);
        } else if (type == "number") {
            refuse_others(schema, {}, {&of_all, &of_numbers}, path);
        } else if (type.empty()) {
            refuse_others(schema, {"additionalProperties"},
                          {&of_all, &of_objects, &of_arrays, &of_strings, &of_numbers}, path);
        } else {
            refuse_others(schema, {}, {&of_all}, path);
        }
    }

    void visit_object(const common_json& schema, bool has_properties, const std::string& path) {
        if (!has_properties && schema.contains("allOf")) {
            visit_merged(schema, path);
            return;
        }
        refuse_others(schema, {"properties", "required", "additionalProperties"}, {&of_all, &of_objects}, path);
        if (schema.contains("required") && schema.at("required").is_array()) {
            std::size_t index = 0;
            for (const auto& name : schema.at("required")) {
                const bool declared = name.is_string() && schema.contains("properties") &&
                                      schema.at("properties").contains(name.get<std::string>());
                if (!declared) {
                    refuse(path + ".required" + in_path(index), "it is not among the properties");
                }
                ++index;
            }
        }
        if (schema.contains("properties")) {
            for (const auto& [name, property] : schema.at("properties").items()) {
                visit(property, path + ".properties" + in_path(std::string(name)));
            }
        }
        if (schema.contains("additionalProperties")) {
            visit(schema.at("additionalProperties"), path + ".additionalProperties");
        }
    }

    // allOf is merged: of objects their properties, of enums what they share.
    void visit_merged(const common_json& schema, const std::string& path) {
        refuse_others(schema, {"allOf"}, {&of_all, &of_objects, &of_strings}, path);
        std::size_t index = 0;
        for (const auto& each : schema.at("allOf")) {
            const std::string place = path + ".allOf" + in_path(index++);
            const bool merges =
                each.is_object() && (each.contains("$ref") || each.contains("properties") || each.contains("enum"));
            if (!merges) {
                refuse(place, "only objects with properties and enums can be merged");
            }
            visit(each, place);
        }
    }

    void visit_array(const common_json& schema, const std::string& path) {
        const char* key = schema.contains("items") ? "items" : "prefixItems";
        refuse_others(schema, {key, "minItems", "maxItems"}, {&of_all, &of_arrays}, path);
        if (!schema.contains(key)) {
            return;
        }
        const common_json& items = schema.at(key);
        if (!items.is_array()) {
            visit(items, path + in_path(key));
            return;
        }
        visit_all(items, path + in_path(key));
        // The converter writes exactly these items.
        const auto count = static_cast<std::int64_t>(items.size());
        if (schema.contains("minItems") && schema.at("minItems").get<std::int64_t>() > count) {
            refuse(path + ".minItems", "it is more than the items that are described");
        }
        if (schema.contains("maxItems") && schema.at("maxItems").get<std::int64_t>() < count) {
            refuse(path + ".maxItems", "it is less than the items that are described");
        }
    }

    void visit_string(const common_json& schema, const std::string& path) {
        const bool by_pattern = schema.contains("pattern");
        const bool by_format = schema.contains("format");
        refuse_others(schema,
                      by_pattern  ? Names{"pattern", "format"}
                      : by_format ? Names{"format"}
                                  : Names{"minLength", "maxLength"},
                      {&of_all, &of_strings}, path);
        if (by_pattern && !is_convertible(schema.at("pattern").get<std::string>())) {
            refuse(path + ".pattern", "this regular expression cannot be enforced");
        }
        if (by_format && !is_known_format(schema.at("format").get<std::string>())) {
            refuse(path + ".format", "this format cannot be enforced");
        }
    }

    const common_json& root_;
    std::set<std::string> followed_;
    std::optional<std::pair<std::string, std::string>> fault_;
};

bool holds_values(std::string_view key) {
    return key == "const" || key == "enum" || key == "default" || key == "example" || key == "examples";
}

}  // namespace

common_json prepared(const common_json& schema, Numbers numbers) {
    if (schema.is_array()) {
        auto copy = common_json::array();
        for (const auto& each : schema) {
            copy.push_back(prepared(each, numbers));
        }
        return copy;
    }
    if (!schema.is_object()) {
        return schema;
    }
    auto copy = common_json::object();
    for (const auto& [key, value] : schema.items()) {
        const std::string name = key;
        copy[name] = holds_values(name) ? common_json(value) : prepared(value, numbers);
    }
    if (copy.contains("pattern") && copy.at("pattern").is_string()) {
        copy["pattern"] = plain_pattern(copy.at("pattern").get<std::string>());
    } else if (copy.contains("format") && copy.at("format").is_string() && !copy.contains("pattern")) {
        if (const auto pattern = pattern_of_format(copy.at("format").get<std::string>()); !pattern.empty()) {
            copy["pattern"] = std::string(pattern);
        }
    } else if (numbers == Numbers::enforced) {
        if (const auto constant = number_constant(copy)) {
            return common_json{{"const", *constant}};
        }
    }
    return copy;
}

base::Result<void> check_enforceable(const common_json& schema, const std::string& param) {
    Walk walk(schema);
    walk.visit(schema, "");
    if (!walk.fault()) {
        return {};
    }
    const auto& [path, complaint] = *walk.fault();
    return base::fail(
        base::ErrorCode::invalid,
        fmt::format("The JSON Schema cannot be enforced: {}: {}.", path.empty() ? "schema" : path.substr(1), complaint),
        param + path);
}

std::string path_in_message(const std::string& message) {
    const auto begin = message.find("at #");
    if (begin == std::string::npos) {
        return {};
    }
    const auto end = message.find(": ", begin);
    std::string path;
    for (auto position = message.find('/', begin); position < end;) {
        const auto next = std::min(message.find('/', position + 1), end);
        const std::string key = message.substr(position + 1, next - position - 1);
        const bool is_index = !key.empty() && key.find_first_not_of("0123456789") == std::string::npos;
        path += is_index ? "[" + key + "]" : "." + key;
        position = next;
    }
    return path;
}

}  // namespace worker::engine::llama::schema
