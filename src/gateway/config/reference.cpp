#include "gateway/config/reference.hpp"

#include "gateway/config/settings.hpp"
#include "schema/schema.hpp"

#include <fmt/format.h>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

namespace gateway::config {

namespace {

namespace json = boost::json;

std::string text_of(const json::object& schema, std::string_view key) {
    const json::value* value = schema.if_contains(key);
    return value && value->is_string() ? std::string(value->get_string().c_str()) : std::string();
}

/// A type is a name, or a list with "null", which a file need not care about.
std::string json_type(const json::object& schema) {
    const json::value* type = schema.if_contains("type");
    if (type && type->is_array())
        return std::string(type->get_array().front().as_string().c_str());
    return text_of(schema, "type");
}

std::string range(const json::value* from, const json::value* to) {
    const auto plain = [](const json::value& limit) {
        return limit.is_string() ? std::string(limit.get_string().c_str()) : schema::write_json(limit);
    };
    if (from && to)
        return fmt::format(", {} to {}", plain(*from), plain(*to));
    return from ? ", at least " + plain(*from) : to ? ", at most " + plain(*to) : "";
}

/// "integer, 1 to 10", "one of `text`, `json`".
std::string type_words(const json::object& schema) {
    if (const json::value* values = schema.if_contains("enum")) {
        std::string words;
        for (const json::value& value : values->as_array())
            if (value.is_string())
                words += fmt::format("{}`{}`", words.empty() ? "" : ", ", value.get_string().c_str());
        return words;
    }
    if (const json::value* constant = schema.if_contains("const"))
        return fmt::format("`{}`", constant->as_string().c_str());
    if (json_type(schema) == "array")
        return "list of " + type_words(schema.at("items").as_object()) + "s";
    if (json_type(schema) == "boolean")
        return "`true` or `false`";
    const std::string unit = text_of(schema, "x-unit");
    if (unit == "duration" || unit == "size")
        return unit + range(schema.if_contains("x-minimum"), schema.if_contains("x-maximum"));
    return (unit.empty() ? json_type(schema) : unit) +
           range(schema.if_contains("minimum"), schema.if_contains("maximum"));
}

bool is_required(const json::object& object, std::string_view key) {
    const json::value* required = object.if_contains("required");
    if (!required)
        return false;
    for (const json::value& name : required->as_array())
        if (name.as_string() == key)
            return true;
    return false;
}

/// A row for each key; those of a list's objects follow the list.
std::string key_rows(const json::object& object, const std::string& prefix) {
    std::string text;
    for (const auto& pair : object.at("properties").as_object()) {
        const auto& schema = pair.value().as_object();
        const std::string_view key(pair.key().data(), pair.key().size());
        std::string initial;
        if (is_required(object, key))
            initial = "required";
        else if (const json::value* value = schema.if_contains("default"))
            initial = "`" +
                      (value->is_string() ? std::string(value->get_string().c_str()) : schema::write_json(*value)) +
                      "`";
        text += fmt::format("| `{}{}` | {} | {} | {} |\n", prefix, key, type_words(schema), initial,
                            text_of(schema, "description"));
        if (json_type(schema) == "array" && schema.at("items").as_object().contains("properties"))
            text += key_rows(schema.at("items").as_object(), fmt::format("{}{}[].", prefix, key));
    }
    return text;
}

std::string key_table(const json::object& object, const std::string& prefix) {
    return "| Key | Type | Default | Meaning |\n|---|---|---|---|\n" + key_rows(object, prefix);
}

/// Each kind of model is an alternative of the list's elements.
std::string model_sections(const json::object& models) {
    std::string text = text_of(models, "description") + "\n";
    for (const json::value& alternative : models.at("items").at("oneOf").as_array()) {
        const auto& object = alternative.as_object();
        const std::string kind(object.at("properties").at("kind").at("const").as_string().c_str());
        text += fmt::format("\n### kind: {}\n\n{}\n\n", kind, text_of(object, "description"));
        text += key_table(object, "models[].");
    }
    return text;
}

json::object settings_schema() {
    schema::Components components;
    return schema::document<Settings>(components);
}

// ---------------------------------------------------------------- the example

/// A text model and a picture model as people have them.
Settings example_settings() {
    TextModel text;
    text.basics.name = "smollm2";
    text.basics.is_default = true;
    text.path = "models/smollm2-135m-instruct-q4_1.gguf";
    ImageModel image;
    image.basics.name = "sd15";
    image.basics.is_default = true;
    image.path = "models/sd-v1-5.safetensors";
    image.taesd = "models/taesd.safetensors";
    Settings settings;
    settings.models = {text, image};
    return settings;
}

/// JSON is YAML, but plain words and paths read better without quotes.
std::string yaml_scalar(const json::value& value) {
    if (!value.is_string() || value.get_string().empty())
        return schema::write_json(value);
    const std::string text(value.get_string().c_str());
    // "on" and "off" are booleans to older readers of YAML, numbers and addresses may be taken for something else.
    const bool plain =
        text.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./") == text.npos &&
        text != "on" && text != "off" && text != "true" && text != "false" && text != "null" &&
        text.find_first_not_of("0123456789.") != text.npos;
    return plain ? text : schema::write_json(value);
}

/// Wraps a comment at 100 columns.
std::string comment(const std::string& words, const std::string& indent) {
    std::string text, line;
    for (std::size_t begin = 0; begin < words.size();) {
        const std::size_t end = std::min(words.find(' ', begin), words.size());
        const std::string word = words.substr(begin, end - begin);
        if (!line.empty() && indent.size() + line.size() + word.size() > 96) {
            text += indent + "#" + line + "\n";
            line.clear();
        }
        line += " " + word;
        begin = end + 1;
    }
    return line.empty() ? text : text + indent + "#" + line + "\n";
}

/// The keys of one object, with their meaning above; keys without a value are there as comments.
std::string example_keys(const json::object& object, const json::object& value, const std::string& indent,
                         bool is_list_element) {
    std::string text;
    for (const auto& pair : object.at("properties").as_object()) {
        const auto& schema = pair.value().as_object();
        const bool first_of_element = is_list_element && text.empty();
        const std::string lead = first_of_element ? indent.substr(2) + "- " : indent;
        const json::value* given = value.if_contains(pair.key());
        if (!first_of_element)  // that one would stand before the dash
            text += comment(text_of(schema, "description"), indent);
        const bool empty = !given || given->is_null() || (given->is_string() && given->get_string().empty()) ||
                           (given->is_array() && given->get_array().empty());
        if (!empty) {
            text += fmt::format("{}{}: {}\n", lead, std::string_view(pair.key()), yaml_scalar(*given));
            continue;
        }
        const json::value* examples = schema.if_contains("examples");
        text += fmt::format("{}# {}:{}\n", lead, std::string_view(pair.key()),
                            examples ? " " + yaml_scalar(examples->as_array().front()) : " []");
    }
    return text;
}

std::string example_models(const json::object& models, const json::array& values) {
    std::string text;
    for (std::size_t i = 0; i < values.size(); ++i) {
        const auto& alternative = models.at("items").at("oneOf").as_array()[i].as_object();
        text += "\n" + comment(text_of(alternative, "description"), "  ");
        text += example_keys(alternative, values[i].as_object(), "    ", true);
    }
    return text;
}

}  // namespace

std::string reference() {
    std::string text =
        "<!-- Made from the tables in src/gateway/config/settings.cpp; a test compares. -->\n"
        "# Configuration\n\n"
        "`llm-gateway serve --config FILE` reads a YAML file; without one, the defaults below hold and models are "
        "named "
        "on the command line. `llm-gateway config check FILE` lists everything that is wrong with a file. "
        "[llm-gateway.example.yaml](llm-gateway.example.yaml) is a complete file.\n\n"
        "A key that is not listed here is an error, and the message names the nearest one. Durations have a unit: "
        "`250ms`, `30s`, `10m`, `1h30m`. So have sizes: `512KiB`, `32MiB`, `4GB`. Relative paths are meant from the "
        "folder of the file.\n\n"
        "The command line goes before the file: `--host`, `--port`, `--workers-folder`, `--log-level` and "
        "`--log-format` "
        "override it, `--api-key-file` adds keys. `--model [NAME=]PATH[,KEY=VALUE,…]` and "
        "`--image-model [NAME=]PATH[,KEY=VALUE,…]` may be given as often as there are models, with the keys of "
        "`models` "
        "below; such models come first in the list and replace those of the file that have the same name.\n";
    for (const auto& pair : settings_schema().at("properties").as_object()) {
        const auto& section = pair.value().as_object();
        const std::string_view name(pair.key().data(), pair.key().size());
        text += fmt::format("\n## {}\n\n", name);
        if (json_type(section) == "array")
            text += model_sections(section);
        else
            text += text_of(section, "description") + "\n\n" + key_table(section, fmt::format("{}.", name));
    }
    return text;
}

std::string example() {
    const auto values = schema::to_json(example_settings());
    std::string text =
        "# An example for llm-gateway. Every value but those of the models is the default.\n"
        "# Made from the tables in src/gateway/config/settings.cpp; a test compares.\n";
    for (const auto& pair : settings_schema().at("properties").as_object()) {
        const auto& section = pair.value().as_object();
        text += "\n" + comment(text_of(section, "description"), "");
        text += std::string(pair.key()) + ":\n";
        const json::value& value = values.at(pair.key());
        text += value.is_array() ? example_models(section, value.get_array())
                                 : example_keys(section, value.get_object(), "  ", false);
    }
    return text;
}

}  // namespace gateway::config
