#include "gateway/config/arguments.hpp"

#include "gateway/config/load.hpp"
#include "schema/schema.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <boost/json/object.hpp>
#include <iterator>
#include <ranges>

namespace gateway::config {

namespace {

using base::ErrorCode;

bool is_key(std::string_view text) {
    return !text.empty() && std::ranges::all_of(text, [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
    });
}

/// A model name never begins like a path, so in "a=b" the a is a name and in "/a=b" and "./a=b" it is not.
bool is_name(std::string_view text) {
    const auto alphanumeric = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    };
    return !text.empty() && alphanumeric(text.front()) && std::ranges::all_of(text, [&](char c) {
        return alphanumeric(c) || std::string_view("._:/@+-").contains(c);
    });
}

/// "a,b,key=c" -> "a,b" and "key=c". At least one part.
std::vector<std::string> split(std::string_view argument) {
    std::vector<std::string> parts{""};
    bool first = true;
    for (const auto piece : std::views::split(argument, ',')) {
        const std::string_view part(piece.begin(), piece.end());
        const bool begins_option = part.contains('=') && is_key(part.substr(0, part.find('=')));
        if (first)
            parts.back() = part;
        else if (begins_option)
            parts.emplace_back(part);
        else
            parts.back().append(",").append(part);
        first = false;
    }
    return parts;
}

/// Numbers and booleans as the table wants them; everything else is text, also a path that looks like a number.
schema::Value option_value(const schema::ObjectShape& table, const std::string& key, const std::string& text) {
    const auto field = std::ranges::find(table.fields(), key, &schema::Field::name);
    if (field == table.fields().end() || !field->shape || (field->shape().kinds() & schema::Kinds::string))
        return schema::Value(text);
    const auto number_or_boolean = schema::read_json(text);
    return number_or_boolean ? *number_or_boolean : schema::Value(text);
}

base::Result<Model> parse_argument(std::string_view option, const schema::ObjectShape& table,
                                   std::string_view argument) {
    const std::vector<std::string> parts = split(argument);
    std::string name;
    std::string path = parts[0];
    if (const std::size_t equals = path.find('='); equals != path.npos && is_name(path.substr(0, equals))) {
        name = path.substr(0, equals);
        path.erase(0, equals + 1);
    } else {
        name = std::filesystem::path(path).stem().string();
    }
    boost::json::object model{{"kind", *table.constant_at("kind")}, {"name", name}};
    if (!path.empty())
        model["path"] = path;
    for (std::size_t i = 1; i < parts.size(); ++i) {
        const std::size_t equals = parts[i].find('=');
        const std::string key = parts[i].substr(0, equals);
        if (model.contains(key))
            return base::fail(ErrorCode::invalid, fmt::format("{} {}: {} is there twice", option, argument, key));
        model[key] = option_value(table, key, parts[i].substr(equals + 1));
    }
    auto parsed = schema::parse_value<Model>(model, {.unknown = schema::Unknown::refuse});
    if (!parsed)
        return base::fail(ErrorCode::invalid,
                          fmt::format("{} {}: {}", option, argument, schema::to_error(parsed.error()).message));
    return std::move(parsed->value);
}

/// Sets `member` from `text`, by the table of the struct.
template <typename T>
base::Result<void> set(T& member, std::string_view option, const std::optional<std::string>& text) {
    if (!text)
        return {};
    auto parsed = schema::parse_value<T>(schema::Value(*text));
    if (!parsed)
        return base::fail(ErrorCode::invalid, fmt::format("{}: {}", option, schema::to_error(parsed.error()).message));
    member = std::move(parsed->value);
    return {};
}

base::Result<std::vector<Model>> parse_models(const CommandLine& command_line) {
    std::vector<Model> models;
    for (const std::string& argument : command_line.models) {
        auto model = parse_model_argument(argument);
        if (!model)
            return std::unexpected(model.error());
        models.push_back(std::move(*model));
    }
    for (const std::string& argument : command_line.image_models) {
        auto model = parse_image_model_argument(argument);
        if (!model)
            return std::unexpected(model.error());
        models.push_back(std::move(*model));
    }
    schema::Findings findings;
    check_models(models, schema::Reading(findings));
    if (!findings.faults.empty())
        return base::fail(ErrorCode::invalid,
                          "--model, --image-model: names must differ, and one of each kind can be the default");
    return models;
}

/// `first`, then those of `others` that no model of `first` replaces.
std::vector<Model> joined(std::vector<Model> first, std::vector<Model> others) {
    const std::size_t count = first.size();
    for (Model& other : others) {
        const auto begin = first.begin(), end = first.begin() + static_cast<std::ptrdiff_t>(count);
        if (std::any_of(begin, end, [&](const Model& model) { return basics(model).name == basics(other).name; }))
            continue;
        if (std::any_of(begin, end,
                        [&](const Model& model) { return model.index() == other.index() && basics(model).is_default; }))
            std::visit([](auto& one) { one.basics.is_default = false; }, other);
        first.push_back(std::move(other));
    }
    return first;
}

}  // namespace

base::Result<Model> parse_model_argument(std::string_view argument) {
    return parse_argument("--model", describe(schema::Type<TextModel>{}), argument);
}

base::Result<Model> parse_image_model_argument(std::string_view argument) {
    return parse_argument("--image-model", describe(schema::Type<ImageModel>{}), argument);
}

base::Result<Settings> apply(const CommandLine& command_line, Settings settings) {
    if (command_line.host)
        settings.server.host = *command_line.host;
    if (command_line.port)
        settings.server.port = *command_line.port;
    if (command_line.workers_folder)
        settings.workers.folder = std::filesystem::absolute(*command_line.workers_folder);
    if (command_line.api_keys_file) {
        auto keys = read_keys(*command_line.api_keys_file);
        if (!keys)
            return base::fail(ErrorCode::invalid, "--api-key-file: " + keys.error().message);
        std::ranges::move(*keys, std::back_inserter(settings.server.api_keys));
    }
    if (const auto level = set(settings.log.level, "--log-level", command_line.log_level); !level)
        return std::unexpected(level.error());
    if (const auto format = set(settings.log.format, "--log-format", command_line.log_format); !format)
        return std::unexpected(format.error());
    auto models = parse_models(command_line);
    if (!models)
        return std::unexpected(models.error());
    settings.models = joined(std::move(*models), std::move(settings.models));
    return settings;
}

Settings apply_environment(const std::function<const char*(const char*)>& variable, Settings settings) {
    std::string keys;
    for (const char* name : {"LLM_GATEWAY_API_KEY", "LLM_GATEWAY_API_KEYS"})
        if (const char* value = variable(name))
            keys += (keys.empty() ? "" : ",") + std::string(value);
    for (std::size_t begin = 0; begin < keys.size();) {
        const std::size_t end = std::min(keys.find(',', begin), keys.size());
        if (end > begin)
            settings.server.api_keys.emplace_back(keys.substr(begin, end - begin));
        begin = end + 1;
    }
    return settings;
}

}  // namespace gateway::config
