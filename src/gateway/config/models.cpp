// What follows from the settings of models: their names together, their files, the options of their workers.

#include "gateway/config/settings.hpp"

#include "schema/schema.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <map>

namespace gateway::config {

void check_models(const std::vector<Model>& models, const schema::Reading& reading) {
    std::map<std::string, std::size_t> first_with_name;
    std::map<std::size_t, std::size_t> default_of_kind;
    for (std::size_t i = 0; i < models.size(); ++i) {
        const ModelBasics& model = basics(models[i]);
        const schema::Reading here = reading.at(i);
        if (const auto [first, added] = first_with_name.try_emplace(model.name, i); !added)
            here.at("name").fault(schema::FaultKind::rule, fmt::format("is the name of models[{}] too", first->second));
        if (const auto* text = std::get_if<TextModel>(&models[i])) {
            const schema::Reading adapters = here.at("adapters");
            for (std::size_t j = 0; j < text->adapters.size(); ++j) {
                const std::string name = model.name + ":" + text->adapters[j].name;
                if (const auto [first, added] = first_with_name.try_emplace(name, i); !added) {
                    const schema::Reading adapter = adapters.at(j);
                    adapter.at("name").fault(
                        schema::FaultKind::rule,
                        fmt::format("makes the name {}, which models[{}] or its adapter has too", name, first->second));
                }
            }
        }
        if (!model.is_default)
            continue;
        if (const auto [first, added] = default_of_kind.try_emplace(models[i].index(), i); !added)
            here.at("default").fault(schema::FaultKind::rule,
                                     fmt::format("is set for models[{}] of this kind too", first->second));
    }
}

const ModelBasics& basics(const Model& model) {
    return std::visit([](const auto& one) -> const ModelBasics& { return one.basics; }, model);
}

std::vector<std::filesystem::path> files(const Model& model) {
    if (const auto* text = std::get_if<TextModel>(&model)) {
        std::vector<std::filesystem::path> files = {text->path};
        if (text->draft_model)
            files.push_back(*text->draft_model);
        if (text->projector)
            files.push_back(*text->projector);
        return files;
    }
    const auto& image = std::get<ImageModel>(model);
    std::vector<std::filesystem::path> files;
    for (const auto& file : {image.path, image.diffusion_model, image.vae, image.taesd, image.clip_l, image.clip_g,
                             image.t5xxl, image.llm, image.control_net, image.upscaler, image.lora_folder})
        if (file)
            files.push_back(*file);
    return files;
}

namespace {

// "NAME,SCALE,SHA256,FILE": the one kind of list that is not of texts.
std::string adapter_argument(const schema::Value& adapter) {
    const auto& fields = adapter.get_object();
    const auto text = [&](std::string_view key) {
        const auto* value = fields.if_contains(key);
        return value == nullptr     ? std::string()
               : value->is_string() ? std::string(value->get_string().c_str())
                                    : schema::write_json(*value);
    };
    return fmt::format("{},{},{},{}", text("name"), text("scale"), text("sha256"), text("path"));
}

}  // namespace

std::vector<std::string> worker_arguments(const Model& model) {
    // The worker's options are named as the keys, so the table is the list of them.
    std::vector<std::string> arguments;
    const schema::Value value = schema::to_json(model);
    for (const auto& pair : value.get_object()) {
        std::string key(pair.key());
        if (key == "kind" || key == "default" || key == "max_waiting")
            continue;
        std::ranges::replace(key, '_', '-');
        if (pair.value().is_array()) {
            for (const auto& each : pair.value().get_array()) {
                arguments.push_back("--" + key);
                arguments.push_back(each.is_string() ? std::string(each.get_string().c_str()) : adapter_argument(each));
            }
            continue;
        }
        arguments.push_back("--" + (key == "path" ? "model" : key));
        arguments.push_back(pair.value().is_string() ? std::string(pair.value().get_string().c_str())
                                                     : schema::write_json(pair.value()));
    }
    return arguments;
}

}  // namespace gateway::config
