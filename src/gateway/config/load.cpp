#include "gateway/config/load.hpp"

#include "gateway/config/yaml.hpp"
#include "schema/schema.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <ranges>

namespace gateway::config {

namespace {

using schema::FaultKind;
using schema::Faults;

std::optional<std::string> read_text(const std::filesystem::path& file) {
    std::error_code ignored;
    std::ifstream stream(file, std::ios::binary);
    if (!stream.is_open() || std::filesystem::is_directory(file, ignored))
        return std::nullopt;
    return std::string{std::istreambuf_iterator<char>(stream), {}};
}

/// The line of the path, or of the nearest thing around it.
int line_of(std::string path, const std::map<std::string, int>& lines) {
    while (true) {
        if (const auto found = lines.find(path); found != lines.end())
            return found->second;
        const std::size_t end = path.find_last_of(".[");
        if (end == path.npos)
            return 1;
        path.resize(end);
    }
}

void make_absolute(std::filesystem::path& path, const std::filesystem::path& folder) {
    if (!path.empty() && path.is_relative())
        path = (folder / path).lexically_normal();
}

void make_absolute(Model& model, const std::filesystem::path& folder) {
    if (auto* text = std::get_if<TextModel>(&model)) {
        make_absolute(text->path, folder);
        if (text->draft_model)
            make_absolute(*text->draft_model, folder);
        for (Adapter& adapter : text->adapters)
            make_absolute(adapter.path, folder);
        return;
    }
    auto& image = std::get<ImageModel>(model);
    for (auto* file : {&image.path, &image.diffusion_model, &image.vae, &image.taesd, &image.clip_l, &image.clip_g,
                       &image.t5xxl, &image.llm, &image.control_net, &image.upscaler, &image.lora_folder})
        if (*file)
            make_absolute(**file, folder);
}

/// A draft model that is the name of another chat model becomes that one's file.
void name_files_of_draft_models(std::vector<Model>& models) {
    std::map<std::string, std::filesystem::path> by_name;
    for (const Model& model : models)
        if (const auto* text = std::get_if<TextModel>(&model))
            by_name.emplace(text->basics.name, text->path);
    for (Model& model : models) {
        auto* text = std::get_if<TextModel>(&model);
        if (text == nullptr || !text->draft_model || text->draft_model->string() == text->basics.name)
            continue;
        if (const auto found = by_name.find(text->draft_model->string()); found != by_name.end())
            text->draft_model = found->second;
    }
}

/// With those that the model can do without.
std::vector<std::filesystem::path> all_files(const Model& model) {
    auto all = files(model);
    if (const auto* text = std::get_if<TextModel>(&model))
        for (const Adapter& adapter : text->adapters)
            all.push_back(adapter.path);
    return all;
}

std::string_view trimmed(std::string_view line) {
    line = line.substr(0, line.find('#'));
    const std::size_t begin = line.find_first_not_of(" \t\r");
    return begin == line.npos ? std::string_view() : line.substr(begin, line.find_last_not_of(" \t\r") - begin + 1);
}

}  // namespace

std::expected<Settings, Faults> load_text(std::string_view text, const std::filesystem::path& folder) {
    auto document = read_yaml(text);
    if (!document)
        return std::unexpected(std::move(document.error()));
    auto parsed = schema::parse_value<Settings>(document->value, {.unknown = schema::Unknown::refuse});
    Faults faults = parsed ? Faults{} : std::move(parsed.error());
    if (parsed) {
        Settings& settings = parsed->value;
        make_absolute(settings.server.api_keys_file, folder);
        make_absolute(settings.workers.folder, folder);
        name_files_of_draft_models(settings.models);
        for (Model& model : settings.models)
            make_absolute(model, folder);
        if (!settings.server.api_keys_file.empty()) {
            auto keys = read_keys(settings.server.api_keys_file);
            if (keys)
                std::ranges::move(*keys, std::back_inserter(settings.server.api_keys));
            else
                faults.push_back({.kind = FaultKind::rule,
                                  .path = "server.api_keys_file",
                                  .message = std::move(keys.error().message)});
        }
    }
    for (schema::Fault& fault : faults)
        fault.line = line_of(fault.path, document->lines);
    if (!faults.empty())
        return std::unexpected(std::move(faults));
    return std::move(parsed->value);
}

std::expected<Settings, Faults> load_file(const std::filesystem::path& file) {
    const auto text = read_text(file);
    if (!text)
        return std::unexpected(Faults{{.kind = FaultKind::rule, .path = "", .message = "cannot be read"}});
    return load_text(*text, std::filesystem::absolute(file).parent_path());
}

base::Result<std::vector<schema::Secret>> read_keys(const std::filesystem::path& file) {
    const auto text = read_text(file);
    if (!text)
        return base::fail(base::ErrorCode::invalid, "cannot be read: " + file.string());
    std::vector<schema::Secret> keys;
    for (const auto line : std::views::split(*text, '\n'))
        if (const auto key = trimmed({line.begin(), line.end()}); !key.empty())
            keys.emplace_back(std::string(key));
    if (keys.empty())
        return base::fail(base::ErrorCode::invalid, "has no key in it: " + file.string());
    return keys;
}

Faults missing_files(const Settings& settings) {
    Faults faults;
    for (std::size_t i = 0; i < settings.models.size(); ++i)
        for (const auto& file : all_files(settings.models[i])) {
            std::error_code ignored;
            if (!std::filesystem::exists(file, ignored))
                faults.push_back(
                    {.kind = FaultKind::rule,
                     .path = fmt::format("models[{}]", i),
                     .message = fmt::format("{}: there is no {}", basics(settings.models[i]).name, file.string())});
        }
    return faults;
}

std::string describe_faults(const Faults& faults, const std::filesystem::path& file) {
    std::string text;
    for (const schema::Fault& fault : faults) {
        const std::string place = fault.line > 0 ? fmt::format("{}:{}", file.string(), fault.line) : file.string();
        text += fmt::format("{}: {}\n", place, schema::to_string(fault));
    }
    return text;
}

CheckReport check_file(const std::filesystem::path& file) {
    const auto settings = load_file(file);
    const Faults faults = settings ? missing_files(*settings) : settings.error();
    if (!faults.empty())
        return {.text = describe_faults(faults, file), .exit_status = 1};
    const std::size_t count = settings->models.size();
    return {.text = fmt::format("{}: ok, {} model{}\n", file.string(), count, count == 1 ? "" : "s"), .exit_status = 0};
}

}  // namespace gateway::config
